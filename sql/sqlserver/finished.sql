-- Promise: how many jobs of the queue became succeeded, dead or cancelled in the last span, and are
-- so still.
-- Locks: none that outlives it; without READ_COMMITTED_SNAPSHOT it waits for an entry that is being
-- written.
-- Index: three ranges of tq_job_final; the work is that of the answer.
-- https://learn.microsoft.com/en-us/sql/relational-databases/indexes/create-filtered-indexes
-- parameters: queue text, span int64
-- columns: finished int64
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
DECLARE @span bigint = :span;
DECLARE @since datetime2(6) = DATEADD(MICROSECOND, -CAST(@span % 60000000 AS int),
  DATEADD(MINUTE, -CAST(@span / 60000000 AS int), SYSUTCDATETIME()));
SELECT COUNT_BIG(*) AS finished
FROM {schema}tq_job AS j WITH (INDEX (tq_job_final), FORCESEEK)
WHERE j.queue = @queue AND j.state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at IS NOT NULL AND j.finished_at > @since
