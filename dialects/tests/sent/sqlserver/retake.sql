-- bound: job_id text, attempts int64, worker text, lease int64
SET NOCOUNT ON;
DECLARE @job_id binary(16) = CONVERT(binary(16), REPLACE(CAST(? AS nvarchar(36)), '-', ''), 2);
DECLARE @attempts bigint = ?;
DECLARE @worker nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @lease bigint = ?;
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
FROM tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
WHERE j.job_id = @job_id AND j.state = 'ready' AND j.attempts = @attempts
  AND (j.group_key IS NULL OR j.gate = -1);

SELECT CAST(t.attempts AS bigint) AS generation
FROM @taken AS t
