-- Promise: the failures of one job, in the order of its generations.
-- Locks: none that outlives it; without READ_COMMITTED_SNAPSHOT it waits for a row that is being
-- written.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql
-- parameters: job_id text
-- columns: generation int64, worker text, failed_at int64, error text
SELECT
  CAST(f.generation AS bigint) AS generation,
  f.worker_id AS worker,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', f.failed_at) AS failed_at,
  f.error
FROM {schema}tq_failure AS f
WHERE f.job_id = CONVERT(binary(16), REPLACE(CAST(:job_id AS nvarchar(36)), '-', ''), 2)
ORDER BY f.generation
