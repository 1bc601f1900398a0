-- Promise: at most two jobs with an id between low and high, so that a caller can tell whether the
-- beginning of an id is unique.
-- Locks: none.
-- https://www.postgresql.org/docs/current/queries-limit.html
-- parameters: low text, high text
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
WHERE j.job_id BETWEEN CAST(:low AS uuid) AND CAST(:high AS uuid)
ORDER BY j.job_id
LIMIT 2
