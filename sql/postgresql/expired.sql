-- Promise: gives up to n running jobs whose lease has ended, the longest ended first, as finish
-- wants them. Changes nothing.
-- Locks: their rows until the end of the transaction, passing over locked ones.
-- https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
-- parameters: n int64
-- columns: job_id text, generation int64, worker text, attempts int64, max_attempts int64
SELECT
  CAST(j.job_id AS text) AS job_id,
  CAST(j.attempts AS bigint) AS generation,
  j.worker_id AS worker,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts
FROM {schema}tq_job AS j
WHERE j.state = 'running' AND j.lease_until <= (SELECT clock_timestamp())
ORDER BY j.lease_until
LIMIT :n
FOR NO KEY UPDATE SKIP LOCKED
