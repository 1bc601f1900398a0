-- Promise: the failures of one job, in the order of its generations.
-- Locks: none.
-- https://www.postgresql.org/docs/current/sql-select.html
-- parameters: job_id text
-- columns: generation int64, worker text, failed_at int64, error text
SELECT
  CAST(f.generation AS bigint) AS generation,
  f.worker_id AS worker,
  CAST(EXTRACT(EPOCH FROM f.failed_at) * 1000000 AS bigint) AS failed_at,
  f.error
FROM {schema}tq_failure AS f
WHERE f.job_id = CAST(:job_id AS uuid)
ORDER BY f.generation
