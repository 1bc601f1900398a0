-- Promise: makes dead jobs ready again, due at once, with extra attempts on top of those made. A job
-- whose unique key an active one holds by now, or an earlier one of the same call, stays dead.
-- Locks: the jobs' rows, one after the other in the order of job_id, waiting for them. Where a producer
-- has taken the key and is not finished, it is waited for at the index tq_job_unique; if the key's
-- holder is gone again by the time it is looked up, this fails as a duplicate.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/plsql-error-handling.html
-- parameters: jobs text, extra_attempts int64
INSERT INTO {schema}tq_given (jobs) VALUES (:jobs)
-- step
DECLARE
  given_jobs CLOB;
  extra NUMBER DEFAULT :extra_attempts;
  verdict VARCHAR2(16);
  holder_id RAW(16);
BEGIN
  DELETE FROM {schema}tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM {schema}tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM {schema}tq_given l);
  FOR g IN (
    SELECT p.ord, HEXTORAW(REPLACE(p.job_id, '-', '')) AS id
    FROM JSON_TABLE(given_jobs, '$[*]' ERROR ON ERROR COLUMNS (
      ord NUMBER PATH '$.ord',
      job_id VARCHAR2(36) PATH '$.job_id')) p
    ORDER BY 2
  ) LOOP
    BEGIN
      SELECT CASE WHEN j.state = 'dead' THEN 'requeued' ELSE 'not_dead' END INTO verdict
      FROM {schema}tq_job j WHERE j.job_id = g.id FOR UPDATE;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN SELECT 'gone' INTO verdict FROM DUAL;
    END;
    INSERT INTO {schema}tq_answer (ord, job_id, outcome) VALUES (g.ord, g.id, verdict);
  END LOOP;
  -- Of the dead jobs of this call with one free key, the first gets it.
  FOR d IN (
    SELECT a.ord, a.job_id FROM {schema}tq_answer a WHERE a.outcome = 'requeued' ORDER BY a.ord
  ) LOOP
    BEGIN
      UPDATE {schema}tq_job j
      SET
        j.state = 'ready',
        j.max_attempts = j.attempts + extra,
        j.run_at = SYS_EXTRACT_UTC(SYSTIMESTAMP),
        j.finished_at = NULL,
        j.cancel_requested_at = NULL,
        -- Its group may have gone on meanwhile: the next claim puts it in its old place.
        j.gate = CASE WHEN j.group_key IS NULL THEN 0 ELSE 1 END
      WHERE j.job_id = d.job_id AND j.state = 'dead';
    EXCEPTION
      WHEN DUP_VAL_ON_INDEX THEN
        SELECT MAX(h.job_id) INTO holder_id
        FROM {schema}tq_job j
        JOIN {schema}tq_job h ON h.unique_q = j.queue AND h.unique_k = j.unique_key
        WHERE j.job_id = d.job_id;
        IF holder_id IS NULL THEN RAISE; END IF;
        UPDATE {schema}tq_answer a
        SET a.outcome = 'held', a.next_id = holder_id
        WHERE a.ord = d.ord;
    END;
  END LOOP;
  DELETE FROM {schema}tq_given;
END;
-- step
-- columns: ord int64, outcome text, holder text
SELECT /*+ LEADING(a) USE_NL(h) INDEX(h tq_job_pk) */ a.ord, a.outcome, h.uuid AS holder
FROM {schema}tq_answer a
LEFT JOIN {schema}tq_job h ON h.job_id = a.next_id
ORDER BY a.ord
