-- Promise: claims one named job if it is ready and its attempts are still what they were, so that a
-- failure can be recorded after the transaction that ran it was lost.
-- Locks: its row, which is waited for. A job whose group has gone on without it is not taken.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/output-clause-transact-sql
-- parameters: job_id text, attempts int64, worker text, lease int64
-- columns: generation int64
SET NOCOUNT ON;
DECLARE @job_id binary(16) = CONVERT(binary(16), REPLACE(CAST(:job_id AS nvarchar(36)), '-', ''), 2);
DECLARE @attempts bigint = :attempts;
DECLARE @worker nvarchar(256) = CAST(:worker AS nvarchar(256));
DECLARE @lease bigint = :lease;
DECLARE @taken TABLE (attempts int NOT NULL);
UPDATE j
SET
  state = 'running',
  attempts = j.attempts + 1,
  worker_id = @worker,
  lease_until = DATEADD(MICROSECOND, CAST(@lease % 60000000 AS int),
    DATEADD(MINUTE, CAST(@lease / 60000000 AS int), SYSUTCDATETIME())),
  last_outcome = NULL
OUTPUT inserted.attempts INTO @taken
FROM {schema}tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
WHERE j.job_id = @job_id AND j.state = 'ready' AND j.attempts = @attempts
  AND (j.group_key IS NULL OR j.gate = -1);
-- Not straight from OUTPUT, which a trigger of somebody else's would forbid.
SELECT CAST(t.attempts AS bigint) AS generation
FROM @taken AS t
