-- Promise: notes that a worker waits for this queue for the next span. Writes only if less than half
-- of that is noted. The note is for the eye: this engine has nothing to announce a job by.
-- Locks: the queue's row until the end of the transaction, if it writes; as in pause.sql.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- parameters: queue text, span int64
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
DECLARE @span bigint = :span;
DECLARE @now datetime2(6) = SYSUTCDATETIME();
DECLARE @half datetime2(6) = DATEADD(MICROSECOND, CAST(@span / 2 % 60000000 AS int),
  DATEADD(MINUTE, CAST(@span / 2 / 60000000 AS int), @now));
DECLARE @until datetime2(6) = DATEADD(MICROSECOND, CAST(@span % 60000000 AS int),
  DATEADD(MINUTE, CAST(@span / 60000000 AS int), @now));
IF NOT EXISTS (
  SELECT 1 FROM {schema}tq_queue AS l WHERE l.queue = @queue AND l.listen_until >= @half)
BEGIN
  INSERT INTO {schema}tq_queue (queue, listen_until)
  SELECT @queue, @until
  WHERE NOT EXISTS (
    SELECT 1 FROM {schema}tq_queue AS q WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE q.queue = @queue);
  IF @@ROWCOUNT = 0
    UPDATE {schema}tq_queue
    SET listen_until = @until
    WHERE queue = @queue AND (listen_until IS NULL OR listen_until < @until);
END
