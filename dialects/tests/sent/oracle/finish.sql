-- bound: jobs text
INSERT INTO tq_given (jobs) VALUES (?)
-- bound: wait int64
DECLARE
  given_jobs CLOB;
  waits NUMBER DEFAULT ?;
  moment TIMESTAMP(6);
  verdict VARCHAR2(16);
  becomes VARCHAR2(16);
  found_state VARCHAR2(16);
  found_attempts NUMBER;
  found_most NUMBER;
  found_worker VARCHAR2(128 CHAR);
  found_lease TIMESTAMP(6);
  found_last_worker VARCHAR2(128 CHAR);
  found_last_outcome VARCHAR2(16);
  found_cancel TIMESTAMP(6);
  found_queue VARCHAR2(128 CHAR);
  found_group VARCHAR2(128 CHAR);
  head_id RAW(16);
  held_elsewhere EXCEPTION;
  PRAGMA EXCEPTION_INIT(held_elsewhere, -54);
  CURSOR group_order (of_queue VARCHAR2, of_group VARCHAR2) IS
    SELECT /*+ INDEX(h tq_job_group) */ h.job_id
    FROM tq_job h
    WHERE h.group_q = of_queue AND h.group_g = of_group
    ORDER BY h.group_at, h.group_id;
BEGIN
  DELETE FROM tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM tq_given l);
  FOR g IN (
    SELECT
      p.ord, HEXTORAW(REPLACE(p.job_id, '-', '')) AS id, p.generation, p.worker, p.verb, p.delay,
      p.error
    FROM JSON_TABLE(given_jobs, '$[*]' ERROR ON ERROR COLUMNS (
      ord NUMBER PATH '$.ord',
      job_id VARCHAR2(36) PATH '$.job_id',
      generation NUMBER PATH '$.generation',
      worker VARCHAR2(128 CHAR) PATH '$.worker',
      verb VARCHAR2(16) PATH '$.verb',
      delay NUMBER PATH '$.delay',
      error CLOB PATH '$.error')) p
    ORDER BY 2
  ) LOOP
    BEGIN
      IF waits = 1 THEN
        SELECT j.attempts INTO found_attempts
        FROM tq_job j WHERE j.job_id = g.id FOR UPDATE;
      END IF;
      SELECT
        j.state, j.attempts, j.max_attempts, j.worker_id, j.lease_until, j.last_worker,
        j.last_outcome, j.cancel_requested_at, j.queue, j.group_key
      INTO
        found_state, found_attempts, found_most, found_worker, found_lease, found_last_worker,
        found_last_outcome, found_cancel, found_queue, found_group
      FROM tq_job j WHERE j.job_id = g.id FOR UPDATE NOWAIT;
      SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
      SELECT
        CASE
          WHEN found_state = 'running' AND found_attempts = g.generation
            AND found_worker = g.worker
            AND ((g.verb <> 'expired' AND found_lease > moment)
              OR (g.verb = 'expired' AND found_lease <= moment)) THEN 'done'
          WHEN found_state <> 'running' AND found_attempts = g.generation
            AND found_last_worker = g.worker AND found_last_outcome = g.verb THEN 'already'
          ELSE 'lost'
        END,
        CASE
          WHEN g.verb = 'completed' THEN 'succeeded'
          WHEN g.verb = 'cancelled' OR found_cancel IS NOT NULL THEN 'cancelled'
          WHEN g.verb IN ('snoozed', 'released') THEN 'ready'
          WHEN g.delay IS NULL OR found_attempts >= found_most THEN 'dead'
          ELSE 'ready'
        END
      INTO verdict, becomes FROM DUAL;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN SELECT 'gone' INTO verdict FROM DUAL;
      WHEN held_elsewhere THEN SELECT 'busy' INTO verdict FROM DUAL;
    END;
    IF verdict = 'done' THEN
      UPDATE tq_job j
      SET
        j.state = becomes,
        j.run_at = CASE
          WHEN becomes <> 'ready' THEN j.run_at
          WHEN g.verb = 'released' THEN moment
          ELSE moment + NUMTODSINTERVAL(TRUNC(COALESCE(g.delay, 0) / 86400000000), 'DAY')
            + NUMTODSINTERVAL(MOD(COALESCE(g.delay, 0), 86400000000) / 1000000, 'SECOND')
        END,
        j.max_attempts = j.max_attempts
          + CASE WHEN becomes = 'ready' AND g.verb IN ('snoozed', 'released') THEN 1 ELSE 0 END,
        j.worker_id = NULL,
        j.lease_until = NULL,
        j.last_worker = g.worker,
        j.last_outcome = g.verb,
        j.finished_at = CASE WHEN becomes <> 'ready' THEN moment END,
        j.cancel_requested_at = CASE WHEN becomes = 'cancelled' THEN j.cancel_requested_at END
      WHERE j.job_id = g.id AND j.state = 'running' AND j.attempts = g.generation;
      IF g.verb IN ('failed', 'expired') THEN
        UPDATE tq_job j SET j.last_error = g.error WHERE j.job_id = g.id;
        
        UPDATE tq_failure f
        SET f.worker_id = g.worker, f.failed_at = moment, f.error = g.error
        WHERE f.job_id = g.id AND f.generation = g.generation;
        IF SQL%ROWCOUNT = 0 THEN
          INSERT INTO tq_failure (job_id, generation, worker_id, failed_at, error)
          VALUES (g.id, g.generation, g.worker, moment, g.error);
        END IF;
      END IF;
    END IF;
    INSERT INTO tq_answer (ord, job_id, outcome, queue, group_key)
    VALUES (
      g.ord, g.id, verdict,
      CASE WHEN verdict = 'done' AND becomes <> 'ready' THEN found_queue END,
      CASE WHEN verdict = 'done' AND becomes <> 'ready' THEN found_group END);
  END LOOP;
  
  
  FOR e IN (
    SELECT DISTINCT a.queue, a.group_key FROM tq_answer a WHERE a.group_key IS NOT NULL
  ) LOOP
    OPEN group_order(e.queue, e.group_key);
    FETCH group_order INTO head_id;
    IF group_order%FOUND THEN
      UPDATE tq_answer a
      SET a.next_id = head_id
      WHERE a.queue = e.queue AND a.group_key = e.group_key;
    END IF;
    CLOSE group_order;
  END LOOP;
  FOR n IN (
    SELECT DISTINCT a.next_id FROM tq_answer a WHERE a.next_id IS NOT NULL ORDER BY a.next_id
  ) LOOP
    UPDATE tq_job j
    SET j.gate = 0
    WHERE j.job_id = n.next_id AND j.state = 'ready' AND j.gate <> 0;
  END LOOP;
  DELETE FROM tq_given;
END;
-- bound: nothing
SELECT a.ord, a.outcome
FROM tq_answer a
ORDER BY a.ord
