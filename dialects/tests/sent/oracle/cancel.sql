-- bound: jobs text
INSERT INTO tq_given (jobs) VALUES (?)
-- bound: nothing
DECLARE
  given_jobs CLOB;
  verdict VARCHAR2(16);
  found_state VARCHAR2(16);
  found_queue VARCHAR2(128 CHAR);
  found_group VARCHAR2(128 CHAR);
  sibling_id RAW(16);
  CURSOR blocked (of_queue VARCHAR2, of_group VARCHAR2) IS
    SELECT /*+ INDEX(h tq_job_group) */ h.job_id
    FROM tq_job h
    WHERE h.group_q = of_queue AND h.group_g = of_group AND h.state = 'ready' AND h.gate = 2
    ORDER BY h.group_at, h.group_id;
BEGIN
  DELETE FROM tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM tq_given l);
  FOR g IN (
    SELECT p.ord, HEXTORAW(REPLACE(p.job_id, '-', '')) AS id
    FROM JSON_TABLE(given_jobs, '$[*]' ERROR ON ERROR COLUMNS (
      ord NUMBER PATH '$.ord',
      job_id VARCHAR2(36) PATH '$.job_id')) p
    ORDER BY 2
  ) LOOP
    BEGIN
      SELECT j.state, j.queue, j.group_key INTO found_state, found_queue, found_group
      FROM tq_job j WHERE j.job_id = g.id FOR UPDATE;
      SELECT CASE found_state
          WHEN 'ready' THEN 'cancelled' WHEN 'running' THEN 'requested' ELSE 'finished'
        END
      INTO verdict FROM DUAL;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN SELECT 'gone' INTO verdict FROM DUAL;
    END;
    IF verdict IN ('cancelled', 'requested') THEN
      UPDATE tq_job j
      SET
        j.state = CASE WHEN j.state = 'ready' THEN 'cancelled' ELSE j.state END,
        j.finished_at = CASE WHEN j.state = 'ready' THEN SYS_EXTRACT_UTC(SYSTIMESTAMP) END,
        j.cancel_requested_at = CASE
          WHEN j.state = 'running'
            THEN COALESCE(j.cancel_requested_at, SYS_EXTRACT_UTC(SYSTIMESTAMP)) END
      WHERE j.job_id = g.id AND j.state = found_state;
    END IF;
    INSERT INTO tq_answer (ord, job_id, outcome, queue, group_key)
    VALUES (
      g.ord, g.id, verdict, CASE WHEN verdict = 'cancelled' THEN found_queue END,
      CASE WHEN verdict = 'cancelled' THEN found_group END);
  END LOOP;
  FOR e IN (
    SELECT DISTINCT a.queue, a.group_key FROM tq_answer a WHERE a.group_key IS NOT NULL
  ) LOOP
    OPEN blocked(e.queue, e.group_key);
    FETCH blocked INTO sibling_id;
    IF blocked%FOUND THEN
      UPDATE tq_answer a
      SET a.next_id = sibling_id
      WHERE a.queue = e.queue AND a.group_key = e.group_key;
    END IF;
    CLOSE blocked;
  END LOOP;
  FOR n IN (
    SELECT DISTINCT a.next_id FROM tq_answer a WHERE a.next_id IS NOT NULL ORDER BY a.next_id
  ) LOOP
    UPDATE tq_job j
    SET j.gate = 1
    WHERE j.job_id = n.next_id AND j.state = 'ready' AND j.gate = 2;
  END LOOP;
  DELETE FROM tq_given;
END;
-- bound: nothing
SELECT a.ord, a.outcome
FROM tq_answer a
ORDER BY a.ord
