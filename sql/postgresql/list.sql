-- Promise: up to n jobs in the order of job_id, after the one given; a null filter matches all.
-- Locks: none.
-- Index: the primary key gives the order, and the scan ends at the limit. What is rare is looked for
-- along it, through the whole table if need be.
-- https://www.postgresql.org/docs/current/queries-limit.html
-- parameters: queue text, kind text, state text, after text, n int64
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SELECT
  CAST(j.job_id AS text) AS job_id,
  j.queue,
  j.kind,
  CAST(j.payload AS text) AS payload,
  j.state,
  CAST(j.priority AS bigint) AS priority,
  CAST(EXTRACT(EPOCH FROM j.run_at) * 1000000 AS bigint) AS run_at,
  CAST(EXTRACT(EPOCH FROM j.created_at) * 1000000 AS bigint) AS created_at,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts,
  j.worker_id,
  CAST(EXTRACT(EPOCH FROM j.lease_until) * 1000000 AS bigint) AS lease_until,
  CAST(EXTRACT(EPOCH FROM j.finished_at) * 1000000 AS bigint) AS finished_at,
  j.last_worker,
  j.last_outcome,
  j.last_error,
  CAST(EXTRACT(EPOCH FROM j.cancel_requested_at) * 1000000 AS bigint) AS cancel_requested_at,
  j.unique_key,
  j.group_key,
  j.origin
FROM {schema}tq_job AS j
WHERE
  -- CASE, because a plan made without the values would take three conditions for so rare that it
  -- sorts all jobs instead.
  CASE WHEN CAST(:queue AS text) IS NULL THEN true ELSE j.queue = :queue END
  AND CASE WHEN CAST(:kind AS text) IS NULL THEN true ELSE j.kind = :kind END
  AND CASE WHEN CAST(:state AS text) IS NULL THEN true ELSE j.state = :state END
  -- The nil id, which no job has, stands for no lower bound: a bound alone lets the index be used
  -- by a plan that was made without the values.
  AND j.job_id > CAST(COALESCE(:after, '00000000-0000-0000-0000-000000000000') AS uuid)
ORDER BY j.job_id
LIMIT :n
