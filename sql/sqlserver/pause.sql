-- Promise: from its commit on no claim takes a job of this queue. The first pause keeps its time.
-- Locks: the queue's row until the end of the transaction; where there was none, the place where it
-- belongs, so that two who pause at once do not both insert it.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- parameters: queue text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
INSERT INTO {schema}tq_queue (queue, paused_at)
SELECT @queue, SYSUTCDATETIME()
WHERE NOT EXISTS (
  SELECT 1 FROM {schema}tq_queue AS q WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE q.queue = @queue);
IF @@ROWCOUNT = 0
  UPDATE {schema}tq_queue
  SET paused_at = SYSUTCDATETIME()
  WHERE queue = @queue AND paused_at IS NULL
