-- Promise: up to n running jobs whose lease has ended, oldest first; changes nothing.
-- Locks: none of its own; the write lock of the transaction keeps them as they are until finish.
-- parameters: n int64
-- columns: job_id text, generation int64, worker text, attempts int64, max_attempts int64
SELECT job_id, attempts, worker_id, attempts, max_attempts
FROM {schema}tq_job INDEXED BY tq_job_lease
WHERE state = 'running'
  AND lease_until <= (
    SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)
ORDER BY lease_until
LIMIT :n
