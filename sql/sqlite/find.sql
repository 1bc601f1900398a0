-- Promise: at most two jobs with an id between low and high, both included: enough to tell whether
--   a prefix is unique.
-- Locks: none.
-- parameters: low text, high text
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SELECT job_id, queue, kind, payload, state, priority, run_at, created_at, attempts, max_attempts,
       worker_id, lease_until, finished_at, last_worker, last_outcome, last_error,
       cancel_requested_at, unique_key, group_key, origin
FROM {schema}tq_job
WHERE job_id BETWEEN :low AND :high
ORDER BY job_id
LIMIT 2
