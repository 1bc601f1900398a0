-- bound: queue text
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT ?;
  this_group VARCHAR2(128 CHAR) DEFAULT CHR(0);
  head_id RAW(16);
  follower_id RAW(16);
  most NUMBER;
  judged NUMBER DEFAULT 0;
  
  CURSOR group_order IS
    SELECT /*+ INDEX(h tq_job_group) */ h.job_id
    FROM tq_job h
    WHERE h.group_q = asked_queue AND h.group_g = this_group
    ORDER BY h.group_at, h.group_id;
  
  CURSOR followers IS
    SELECT /*+ INDEX(j tq_job_settle) */ j.job_id
    FROM tq_job j
    WHERE j.settle_q = asked_queue AND j.settle_g = this_group
    FOR UPDATE SKIP LOCKED;
BEGIN
  FOR i IN 1 .. 512 LOOP
    EXIT WHEN judged >= 64;
    SELECT /*+ INDEX(j tq_job_settle) */ MIN(j.settle_g) INTO this_group
    FROM tq_job j
    WHERE j.settle_q = asked_queue AND j.settle_g > this_group;
    EXIT WHEN this_group IS NULL;
    SELECT NULL INTO head_id FROM DUAL;
    OPEN group_order;
    FETCH group_order INTO head_id;
    CLOSE group_order;
    
    SELECT 0 INTO most FROM DUAL;
    FOR h IN (
      SELECT j.job_id FROM tq_job j
      WHERE j.job_id = head_id AND j.state IN ('ready', 'running')
      FOR UPDATE SKIP LOCKED
    ) LOOP
      UPDATE tq_job j
      SET j.gate = CASE WHEN j.state = 'ready' THEN 0 ELSE j.gate END
      WHERE j.job_id = h.job_id AND j.state IN ('ready', 'running');
      SELECT 8, judged + 1 INTO most, judged FROM DUAL;
    END LOOP;
    IF most > 0 THEN
      
      OPEN followers;
      FOR k IN 1 .. most LOOP
        FETCH followers INTO follower_id;
        EXIT WHEN followers%NOTFOUND;
        UPDATE tq_job j
        SET j.gate = 2
        WHERE j.job_id = follower_id AND j.state = 'ready' AND j.gate = 1;
      END LOOP;
      CLOSE followers;
    END IF;
  END LOOP;
END;
