-- bound: low text, high text
SET NOCOUNT ON;
DECLARE @low binary(16) = CONVERT(binary(16), REPLACE(CAST(? AS nvarchar(36)), '-', ''), 2);
DECLARE @high binary(16) = CONVERT(binary(16), REPLACE(CAST(? AS nvarchar(36)), '-', ''), 2);
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
FROM tq_job AS j WITH (INDEX (tq_job_pk), FORCESEEK)
WHERE j.job_id BETWEEN @low AND @high
ORDER BY j.job_id
