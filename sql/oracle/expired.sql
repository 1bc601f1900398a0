-- Promise: gives up to n running jobs whose lease has ended, the longest ended first, as finish wants
-- them. Changes nothing.
-- Locks: their rows, one after the other as they are fetched (claim_pick.sql), until the end of the
-- transaction, passing over locked ones. Two reapers at once take different rows.
-- Index: tq_job_lease gives the order without a sort.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- parameters: n int64
DECLARE
  wanted NUMBER DEFAULT :n;
  moment TIMESTAMP(6);
  picked_id RAW(16);
  CURSOR ended IS
    SELECT /*+ INDEX(j tq_job_lease) */ j.job_id
    FROM {schema}tq_job j
    WHERE j.lease_until <= moment
    ORDER BY j.lease_until
    FOR UPDATE SKIP LOCKED;
BEGIN
  DELETE FROM {schema}tq_answer;
  SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
  OPEN ended;
  FOR i IN 1 .. wanted LOOP
    FETCH ended INTO picked_id;
    EXIT WHEN ended%NOTFOUND;
    INSERT INTO {schema}tq_answer (ord, job_id) VALUES (i, picked_id);
  END LOOP;
  CLOSE ended;
END;
-- step
-- columns: job_id text, generation int64, worker text, attempts int64, max_attempts int64
-- The condition is repeated: a row may have changed between the snapshot and its lock.
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */
  j.uuid AS job_id,
  j.attempts AS generation,
  j.worker_id AS worker,
  j.attempts,
  j.max_attempts
FROM {schema}tq_answer a
JOIN {schema}tq_job j ON j.job_id = a.job_id
WHERE j.state = 'running' AND j.lease_until <= SYS_EXTRACT_UTC(SYSTIMESTAMP)
ORDER BY a.ord
