-- bound: nothing
DECLARE @granted int;
EXECUTE @granted = sys.sp_getapplock @Resource = N'tq_schema', @LockMode = 'Exclusive',
  @LockOwner = 'Transaction', @LockTimeout = 60000;
IF @granted < 0
  THROW 51222, 'another installation of the tables holds their lock', 1
