-- bound: queue text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));
INSERT INTO tq_queue (queue, paused_at)
SELECT @queue, SYSUTCDATETIME()
WHERE NOT EXISTS (
  SELECT 1 FROM tq_queue AS q WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE q.queue = @queue);
IF @@ROWCOUNT = 0
  UPDATE tq_queue
  SET paused_at = SYSUTCDATETIME()
  WHERE queue = @queue AND paused_at IS NULL
