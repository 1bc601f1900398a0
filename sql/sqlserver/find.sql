-- Promise: at most two jobs with an id between low and high, so that a caller can tell whether the
-- beginning of an id is unique.
-- Locks: none that outlives it; without READ_COMMITTED_SNAPSHOT it waits for a row that is being
-- written.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql
-- parameters: low text, high text
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SET NOCOUNT ON;
DECLARE @low binary(16) = CONVERT(binary(16), REPLACE(CAST(:low AS nvarchar(36)), '-', ''), 2);
DECLARE @high binary(16) = CONVERT(binary(16), REPLACE(CAST(:high AS nvarchar(36)), '-', ''), 2);
SELECT TOP (2)
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), j.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id,
  j.queue,
  j.kind,
  j.payload,
  j.state,
  CAST(j.priority AS bigint) AS priority,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.run_at) AS run_at,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.created_at) AS created_at,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts,
  j.worker_id,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.lease_until) AS lease_until,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.finished_at) AS finished_at,
  j.last_worker,
  j.last_outcome,
  j.last_error,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.cancel_requested_at) AS cancel_requested_at,
  j.unique_key,
  j.group_key,
  j.origin
FROM {schema}tq_job AS j WITH (INDEX (tq_job_pk), FORCESEEK)
WHERE j.job_id BETWEEN @low AND @high
ORDER BY j.job_id
