-- Promise: sets the end of each given lease to now + lease, where the lease is still held. Says of
-- every other one why not.
-- Locks: the jobs' rows, one after the other in the order of job_id, until the end of the transaction.
-- With wait = 1 they are waited for; with wait = 0 a row that another transaction holds is answered
-- busy (NOWAIT, ORA-00054, which also stands for a block without a free slot for this transaction).
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- The clock is read for each row once it is locked: in PL/SQL it moves on, in a statement of SQL it
-- stands still.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SYSTIMESTAMP.html
-- parameters: jobs text, lease int64, wait int64
INSERT INTO {schema}tq_given (jobs) VALUES (:jobs)
-- step
DECLARE
  given_jobs CLOB;
  asked_lease NUMBER DEFAULT :lease;
  waits NUMBER DEFAULT :wait;
  moment TIMESTAMP(6);
  verdict VARCHAR2(16);
  found_state VARCHAR2(16);
  found_attempts NUMBER;
  found_worker VARCHAR2(128 CHAR);
  found_lease TIMESTAMP(6);
  held_elsewhere EXCEPTION;
  PRAGMA EXCEPTION_INIT(held_elsewhere, -54);
BEGIN
  DELETE FROM {schema}tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM {schema}tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM {schema}tq_given l);
  FOR g IN (
    SELECT p.ord, HEXTORAW(REPLACE(p.job_id, '-', '')) AS id, p.generation, p.worker
    FROM JSON_TABLE(given_jobs, '$[*]' ERROR ON ERROR COLUMNS (
      ord NUMBER PATH '$.ord',
      job_id VARCHAR2(36) PATH '$.job_id',
      generation NUMBER PATH '$.generation',
      worker VARCHAR2(128 CHAR) PATH '$.worker')) p
    ORDER BY 2
  ) LOOP
    BEGIN
      IF waits = 1 THEN
        SELECT j.attempts INTO found_attempts
        FROM {schema}tq_job j WHERE j.job_id = g.id FOR UPDATE;
      END IF;
      SELECT j.state, j.attempts, j.worker_id, j.lease_until
      INTO found_state, found_attempts, found_worker, found_lease
      FROM {schema}tq_job j WHERE j.job_id = g.id FOR UPDATE NOWAIT;
      SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
      SELECT CASE
          WHEN found_state = 'running' AND found_attempts = g.generation
            AND found_worker = g.worker AND found_lease > moment THEN 'done'
          ELSE 'lost'
        END
      INTO verdict FROM DUAL;
    EXCEPTION
      WHEN NO_DATA_FOUND THEN SELECT 'gone' INTO verdict FROM DUAL;
      WHEN held_elsewhere THEN SELECT 'busy' INTO verdict FROM DUAL;
    END;
    IF verdict = 'done' THEN
      UPDATE {schema}tq_job j
      SET j.lease_until = moment + NUMTODSINTERVAL(TRUNC(asked_lease / 86400000000), 'DAY')
        + NUMTODSINTERVAL(MOD(asked_lease, 86400000000) / 1000000, 'SECOND')
      WHERE j.job_id = g.id AND j.state = 'running' AND j.attempts = g.generation;
    END IF;
    INSERT INTO {schema}tq_answer (ord, job_id, outcome) VALUES (g.ord, g.id, verdict);
  END LOOP;
  DELETE FROM {schema}tq_given;
END;
-- step
-- columns: ord int64, outcome text, lease_until int64, cancel_requested int64
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */
  a.ord,
  a.outcome,
  CAST(CASE WHEN a.outcome = 'done' THEN j.lease_us END AS NUMBER(19)) AS lease_until,
  CAST(CASE
    WHEN a.outcome = 'done' THEN CASE WHEN j.cancel_requested_at IS NULL THEN 0 ELSE 1 END
  END AS NUMBER(1)) AS cancel_requested
FROM {schema}tq_answer a
LEFT JOIN {schema}tq_job j ON j.job_id = a.job_id
ORDER BY a.ord
