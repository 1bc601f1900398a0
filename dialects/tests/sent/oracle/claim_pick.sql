-- bound: queue text, worker text, n int64, lease int64
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT ?;
  asked_worker VARCHAR2(128 CHAR) DEFAULT ?;
  wanted NUMBER DEFAULT ?;
  asked_lease NUMBER DEFAULT ?;
  held NUMBER DEFAULT 0;
  pauses NUMBER;
  moment TIMESTAMP(6);
  picked_id RAW(16);
  picked_attempts NUMBER;
  
  CURSOR candidates (this_priority NUMBER) IS
    SELECT /*+ INDEX(j tq_job_claim) */ j.job_id, j.attempts
    FROM tq_job j
    WHERE j.claim_q = asked_queue AND j.claim_priority = this_priority AND j.claim_at <= moment
      AND (
        j.group_key IS NULL
        OR (
          
          
          NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(h tq_job_group) */ h.job_id FROM tq_job h
            WHERE h.group_q = j.queue AND h.group_g = j.group_key AND h.group_at < j.created_at)
          AND NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(h tq_job_group) */ h.job_id FROM tq_job h
            WHERE h.group_q = j.queue AND h.group_g = j.group_key AND h.group_at = j.created_at
              AND h.group_id < j.job_id)
          
          AND NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(r tq_job_running) */ r.job_id FROM tq_job r
            WHERE r.running_q = j.queue AND r.running_g = j.group_key)))
    ORDER BY j.claim_at, j.claim_id
    FOR UPDATE SKIP LOCKED;
BEGIN
  DELETE FROM tq_answer;
  SELECT COUNT(*) INTO pauses
  FROM tq_queue q WHERE q.queue = asked_queue AND q.paused_at IS NOT NULL;
  IF pauses = 0 THEN
    SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
    
    FOR below IN 0 .. 20 LOOP
      EXIT WHEN held >= wanted;
      OPEN candidates(10 - below);
      LOOP
        
        EXIT WHEN held >= wanted;
        FETCH candidates INTO picked_id, picked_attempts;
        EXIT WHEN candidates%NOTFOUND;
        BEGIN
          UPDATE tq_job j
          SET
            j.state = 'running',
            j.attempts = j.attempts + 1,
            j.worker_id = asked_worker,
            j.lease_until = SYS_EXTRACT_UTC(SYSTIMESTAMP)
              + NUMTODSINTERVAL(TRUNC(asked_lease / 86400000000), 'DAY')
              + NUMTODSINTERVAL(MOD(asked_lease, 86400000000) / 1000000, 'SECOND'),
            j.last_outcome = NULL
          WHERE j.job_id = picked_id AND j.state = 'ready' AND j.gate = 0
            AND j.attempts = picked_attempts;
          IF SQL%ROWCOUNT = 1 THEN
            SELECT held + 1 INTO held FROM DUAL;
            INSERT INTO tq_answer (ord, job_id) VALUES (held, picked_id);
          END IF;
        EXCEPTION
          
          WHEN DUP_VAL_ON_INDEX THEN NULL;
        END;
      END LOOP;
      CLOSE candidates;
    END LOOP;
  END IF;
END;
-- bound: nothing
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */
  j.uuid AS job_id,
  j.kind,
  j.payload,
  j.priority,
  j.run_us AS run_at,
  j.created_us AS created_at,
  j.attempts,
  j.max_attempts,
  j.lease_us AS lease_until,
  j.unique_key,
  j.group_key
FROM tq_answer a
JOIN tq_job j ON j.job_id = a.job_id
ORDER BY a.ord
