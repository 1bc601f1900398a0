-- bound: low text, high text
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
FROM tq_job j
WHERE j.job_id BETWEEN HEXTORAW(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''))
  AND HEXTORAW(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''))
ORDER BY j.job_id
FETCH FIRST 2 ROWS ONLY
