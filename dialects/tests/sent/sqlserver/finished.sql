-- bound: queue text, span int64
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @span bigint = ?;
DECLARE @since datetime2(6) = DATEADD(MICROSECOND, -CAST(@span % 60000000 AS int),
  DATEADD(MINUTE, -CAST(@span / 60000000 AS int), SYSUTCDATETIME()));
SELECT COUNT_BIG(*) AS finished
FROM tq_job AS j WITH (INDEX (tq_job_final), FORCESEEK)
WHERE j.queue = @queue AND j.state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at IS NOT NULL AND j.finished_at > @since
