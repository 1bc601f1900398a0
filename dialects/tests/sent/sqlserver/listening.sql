-- bound: queue text, span int64
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @span bigint = ?;
DECLARE @now datetime2(6) = SYSUTCDATETIME();
DECLARE @half datetime2(6) = DATEADD(MICROSECOND, CAST(@span / 2 % 60000000 AS int),
  DATEADD(MINUTE, CAST(@span / 2 / 60000000 AS int), @now));
DECLARE @until datetime2(6) = DATEADD(MICROSECOND, CAST(@span % 60000000 AS int),
  DATEADD(MINUTE, CAST(@span / 60000000 AS int), @now));
IF NOT EXISTS (
  SELECT 1 FROM tq_queue AS l WHERE l.queue = @queue AND l.listen_until >= @half)
BEGIN
  INSERT INTO tq_queue (queue, listen_until)
  SELECT @queue, @until
  WHERE NOT EXISTS (
    SELECT 1 FROM tq_queue AS q WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE q.queue = @queue);
  IF @@ROWCOUNT = 0
    UPDATE tq_queue
    SET listen_until = @until
    WHERE queue = @queue AND (listen_until IS NULL OR listen_until < @until);
END
