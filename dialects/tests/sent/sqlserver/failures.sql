-- bound: job_id text
SELECT
  CAST(f.generation AS bigint) AS generation,
  f.worker_id AS worker,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', f.failed_at) AS failed_at,
  f.error
FROM tq_failure AS f
WHERE f.job_id = CONVERT(binary(16), REPLACE(CAST(? AS nvarchar(36)), '-', ''), 2)
ORDER BY f.generation
