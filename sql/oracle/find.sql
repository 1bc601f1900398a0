-- Promise: at most two jobs with an id between low and high, so that a caller can tell whether the
-- beginning of an id is unique.
-- Locks: none.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- parameters: low text, high text
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SELECT /*+ FIRST_ROWS(2) INDEX(j tq_job_pk) */
  j.uuid AS job_id,
  j.queue,
  j.kind,
  j.payload,
  j.state,
  j.priority,
  j.run_us AS run_at,
  j.created_us AS created_at,
  j.attempts,
  j.max_attempts,
  j.worker_id,
  j.lease_us AS lease_until,
  j.finished_us AS finished_at,
  j.last_worker,
  j.last_outcome,
  j.last_error,
  j.cancel_us AS cancel_requested_at,
  j.unique_key,
  j.group_key,
  j.origin
FROM {schema}tq_job j
WHERE j.job_id BETWEEN HEXTORAW(REPLACE(CAST(:low AS VARCHAR2(36)), '-', ''))
  AND HEXTORAW(REPLACE(CAST(:high AS VARCHAR2(36)), '-', ''))
ORDER BY j.job_id
FETCH FIRST 2 ROWS ONLY
