-- bound: job_id text
SELECT f.generation, f.worker_id AS worker, f.failed_us AS failed_at, f.error
FROM tq_failure f
WHERE f.job_id = HEXTORAW(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''))
ORDER BY f.generation
