-- Promise: the failures of one job, in the order of its generations.
-- Locks: none.
-- https://dev.mysql.com/doc/refman/en/select.html
-- parameters: job_id text
-- columns: generation int64, worker text, failed_at int64, error text
SELECT
  f.generation,
  f.worker_id AS worker,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', f.failed_at) AS failed_at,
  f.error
FROM {schema}tq_failure AS f
WHERE f.job_id = UNHEX(REPLACE(:job_id, '-', ''))
ORDER BY f.generation
