-- Promise: the failures of one job, in the order of its generations.
-- Locks: none.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- parameters: job_id text
-- columns: generation int64, worker text, failed_at int64, error text
SELECT f.generation, f.worker_id AS worker, f.failed_us AS failed_at, f.error
FROM {schema}tq_failure f
WHERE f.job_id = HEXTORAW(REPLACE(CAST(:job_id AS VARCHAR2(36)), '-', ''))
ORDER BY f.generation
