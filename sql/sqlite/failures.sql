-- Promise: a job's failures, by generation.
-- Locks: none.
-- parameters: job_id text
-- columns: generation int64, worker text, failed_at int64, error text
SELECT generation, worker_id, failed_at, error
FROM {schema}tq_failure
WHERE job_id = :job_id
ORDER BY generation
