-- bound: n int64
DECLARE
  wanted NUMBER DEFAULT ?;
  moment TIMESTAMP(6);
  picked_id RAW(16);
  CURSOR ended IS
    SELECT /*+ INDEX(j tq_job_lease) */ j.job_id
    FROM tq_job j
    WHERE j.lease_until <= moment
    ORDER BY j.lease_until
    FOR UPDATE SKIP LOCKED;
BEGIN
  DELETE FROM tq_answer;
  SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
  OPEN ended;
  FOR i IN 1 .. wanted LOOP
    FETCH ended INTO picked_id;
    EXIT WHEN ended%NOTFOUND;
    INSERT INTO tq_answer (ord, job_id) VALUES (i, picked_id);
  END LOOP;
  CLOSE ended;
END;
-- bound: nothing
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */
  j.uuid AS job_id,
  j.attempts AS generation,
  j.worker_id AS worker,
  j.attempts,
  j.max_attempts
FROM tq_answer a
JOIN tq_job j ON j.job_id = a.job_id
WHERE j.state = 'running' AND j.lease_until <= SYS_EXTRACT_UTC(SYSTIMESTAMP)
ORDER BY a.ord
