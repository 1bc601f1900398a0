-- Promise: installers of one schema come one after another.
-- Locks: an application lock with a name of our own, until the end of the transaction; a second
-- installer waits for it.
-- https://learn.microsoft.com/en-us/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
DECLARE @granted int;
EXECUTE @granted = sys.sp_getapplock @Resource = N'{schema}tq_schema', @LockMode = 'Exclusive',
  @LockOwner = 'Transaction', @LockTimeout = 60000;
IF @granted < 0
  THROW 51222, 'another installation of the tables holds their lock', 1
