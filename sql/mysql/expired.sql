-- Promise: gives up to n running jobs whose lease has ended, the longest ended first, as finish
-- wants them. Changes nothing.
-- Locks: their rows until the end of the transaction, passing over locked ones.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: n int64
-- columns: job_id text, generation int64, worker text, attempts int64, max_attempts int64
SELECT
  LOWER(INSERT(INSERT(INSERT(INSERT(HEX(j.job_id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
    AS job_id,
  j.attempts AS generation,
  j.worker_id AS worker,
  j.attempts,
  j.max_attempts
FROM {schema}tq_job AS j FORCE INDEX (tq_job_lease)
WHERE j.lease_until <= UTC_TIMESTAMP(6)
ORDER BY j.lease_until
LIMIT :n
FOR UPDATE SKIP LOCKED
