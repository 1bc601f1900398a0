-- Promise: up to n rows of the job table by job_id, after the given one; a null filter matches all.
-- Locks: none.
-- parameters: queue text, kind text, state text, after text, n int64
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
--
-- Walks the primary key; job_id > '' is every row.
SELECT job_id, queue, kind, payload, state, priority, run_at, created_at, attempts, max_attempts,
       worker_id, lease_until, finished_at, last_worker, last_outcome, last_error,
       cancel_requested_at, unique_key, group_key, origin
FROM {schema}tq_job
WHERE job_id > coalesce(:after, '')
  AND (:queue IS NULL OR queue = :queue)
  AND (:kind IS NULL OR kind = :kind)
  AND (:state IS NULL OR state = :state)
ORDER BY job_id
LIMIT :n
