-- bound: after text, queue text, queue text, kind text, kind text, state text, state text, n int64
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
FROM tq_job j

WHERE j.job_id > HEXTORAW(COALESCE(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''), '00'))
  AND (CAST(? AS VARCHAR2(128 CHAR)) IS NULL
    OR j.queue = CAST(? AS VARCHAR2(128 CHAR)))
  AND (CAST(? AS VARCHAR2(128 CHAR)) IS NULL OR j.kind = CAST(? AS VARCHAR2(128 CHAR)))
  AND (CAST(? AS VARCHAR2(16)) IS NULL OR j.state = CAST(? AS VARCHAR2(16)))
ORDER BY j.job_id
FETCH FIRST CAST(? AS NUMBER) ROWS ONLY
