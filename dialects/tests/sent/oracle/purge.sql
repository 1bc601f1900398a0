-- bound: queue text, state text, older_than int64, n int64
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT ?;
  asked_state VARCHAR2(16) DEFAULT ?;
  older_than NUMBER DEFAULT ?;
  wanted NUMBER DEFAULT ?;
  held NUMBER DEFAULT 0;
  this_queue VARCHAR2(128 CHAR) DEFAULT CHR(0);
  oldest TIMESTAMP(6);
  picked_id RAW(16);
  picked_uuid VARCHAR2(36);
  CURSOR final_jobs IS
    SELECT /*+ INDEX(j tq_job_final) */ j.job_id, j.uuid
    FROM tq_job j
    WHERE j.final_q = this_queue AND j.final_state = asked_state AND j.finished_at < oldest
    ORDER BY j.finished_at
    FOR UPDATE SKIP LOCKED;
BEGIN
  DELETE FROM tq_answer;
  SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) - NUMTODSINTERVAL(TRUNC(older_than / 86400000000), 'DAY')
    - NUMTODSINTERVAL(MOD(older_than, 86400000000) / 1000000, 'SECOND')
  INTO oldest FROM DUAL;
  WHILE held < wanted LOOP
    IF asked_queue IS NULL THEN
      SELECT /*+ INDEX(j tq_job_final) */ MIN(j.final_q) INTO this_queue
      FROM tq_job j WHERE j.final_q > this_queue;
    ELSE
      
      SELECT CASE WHEN this_queue = CHR(0) THEN asked_queue END INTO this_queue FROM DUAL;
    END IF;
    EXIT WHEN this_queue IS NULL;
    OPEN final_jobs;
    LOOP
      EXIT WHEN held >= wanted;
      FETCH final_jobs INTO picked_id, picked_uuid;
      EXIT WHEN final_jobs%NOTFOUND;
      DELETE FROM tq_job j WHERE j.job_id = picked_id AND j.state = asked_state;
      IF SQL%ROWCOUNT = 1 THEN
        DELETE FROM tq_failure f WHERE f.job_id = picked_id;
        SELECT held + 1 INTO held FROM DUAL;
        INSERT INTO tq_answer (ord, uuid) VALUES (held, picked_uuid);
      END IF;
    END LOOP;
    CLOSE final_jobs;
  END LOOP;
END;
-- bound: nothing
SELECT a.uuid AS job_id
FROM tq_answer a
ORDER BY a.ord
