-- Promise: up to n rows of the job table by job_id, after the one given; a null filter matches all.
-- Locks: none.
-- Index: the primary key gives the order, and the scan ends at the limit. What is rare is looked for
-- along it, through the whole table if need be.
-- https://dev.mysql.com/doc/refman/en/limit-optimization.html
-- parameters: queue text, kind text, state text, after text, n int64
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SELECT
  LOWER(INSERT(INSERT(INSERT(INSERT(HEX(j.job_id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
    AS job_id,
  j.queue,
  j.kind,
  j.payload,
  j.state,
  j.priority,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.run_at) AS run_at,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.created_at) AS created_at,
  j.attempts,
  j.max_attempts,
  j.worker_id,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.lease_until) AS lease_until,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.finished_at) AS finished_at,
  j.last_worker,
  j.last_outcome,
  j.last_error,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.cancel_requested_at) AS cancel_requested_at,
  j.unique_key,
  j.group_key,
  j.origin
FROM {schema}tq_job AS j FORCE INDEX (PRIMARY)
WHERE j.job_id > UNHEX(REPLACE(COALESCE(:after, ''), '-', ''))
  AND (:queue IS NULL OR j.queue = :queue)
  AND (:kind IS NULL OR j.kind = :kind)
  AND (:state IS NULL OR j.state = :state)
ORDER BY j.job_id
LIMIT :n
