-- Promise: up to n rows of the job table by job_id, after the one given; a null filter matches all.
-- Locks: none.
-- Index: the primary key gives the order, and the scan ends at the limit. What is rare is looked for
-- along it, through the whole table if need be.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- parameters: queue text, kind text, state text, after text, n int64
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SELECT /*+ FIRST_ROWS(100) INDEX(j tq_job_pk) */
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
-- The empty string is NULL: from the first on is after the shortest id there can be.
WHERE j.job_id > HEXTORAW(COALESCE(REPLACE(CAST(:after AS VARCHAR2(36)), '-', ''), '00'))
  AND (CAST(:queue AS VARCHAR2(128 CHAR)) IS NULL
    OR j.queue = CAST(:queue AS VARCHAR2(128 CHAR)))
  AND (CAST(:kind AS VARCHAR2(128 CHAR)) IS NULL OR j.kind = CAST(:kind AS VARCHAR2(128 CHAR)))
  AND (CAST(:state AS VARCHAR2(16)) IS NULL OR j.state = CAST(:state AS VARCHAR2(16)))
ORDER BY j.job_id
FETCH FIRST CAST(:n AS NUMBER) ROWS ONLY
