-- bound: jobs text
INSERT INTO tq_given (jobs) VALUES (?)
-- bound: extra_attempts int64
DECLARE
  given_jobs CLOB;
  extra NUMBER DEFAULT ?;
  verdict VARCHAR2(16);
  holder_id RAW(16);
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
      SELECT CASE WHEN j.state = 'dead' THEN 'requeued' ELSE 'not_dead' END INTO verdict
      FROM tq_job j WHERE j.job_id = g.id FOR UPDATE;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN SELECT 'gone' INTO verdict FROM DUAL;
    END;
    INSERT INTO tq_answer (ord, job_id, outcome) VALUES (g.ord, g.id, verdict);
  END LOOP;
  
  FOR d IN (
    SELECT a.ord, a.job_id FROM tq_answer a WHERE a.outcome = 'requeued' ORDER BY a.ord
  ) LOOP
    BEGIN
      UPDATE tq_job j
      SET
        j.state = 'ready',
        j.max_attempts = j.attempts + extra,
        j.run_at = SYS_EXTRACT_UTC(SYSTIMESTAMP),
        j.finished_at = NULL,
        j.cancel_requested_at = NULL,
        
        j.gate = CASE WHEN j.group_key IS NULL THEN 0 ELSE 1 END
      WHERE j.job_id = d.job_id AND j.state = 'dead';
    EXCEPTION
      WHEN DUP_VAL_ON_INDEX THEN
        SELECT MAX(h.job_id) INTO holder_id
        FROM tq_job j
        JOIN tq_job h ON h.unique_q = j.queue AND h.unique_k = j.unique_key
        WHERE j.job_id = d.job_id;
        IF holder_id IS NULL THEN RAISE; END IF;
        UPDATE tq_answer a
        SET a.outcome = 'held', a.next_id = holder_id
        WHERE a.ord = d.ord;
    END;
  END LOOP;
  DELETE FROM tq_given;
END;
-- bound: nothing
SELECT /*+ LEADING(a) USE_NL(h) INDEX(h tq_job_pk) */ a.ord, a.outcome, h.uuid AS holder
FROM tq_answer a
LEFT JOIN tq_job h ON h.job_id = a.next_id
ORDER BY a.ord
