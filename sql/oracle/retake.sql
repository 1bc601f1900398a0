-- Promise: claims one named job if it is ready and its attempts are still what they were, so that a
-- failure can be recorded after the transaction that ran it was lost.
-- Locks: its row, which is waited for. The unique index tq_job_running refuses it while another job of
-- its group runs.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- parameters: job_id text, attempts int64, worker text, lease int64
-- columns: generation int64
SELECT CAST(j.attempts + 1 AS NUMBER(10)) AS generation
FROM {schema}tq_job j
WHERE j.job_id = HEXTORAW(REPLACE(CAST(:job_id AS VARCHAR2(36)), '-', ''))
  AND j.state = 'ready' AND j.attempts = CAST(:attempts AS NUMBER)
FOR UPDATE
-- step
DECLARE
  asked_id RAW(16) DEFAULT HEXTORAW(REPLACE(CAST(:job_id AS VARCHAR2(36)), '-', ''));
  asked_attempts NUMBER DEFAULT :attempts;
  asked_worker VARCHAR2(128 CHAR) DEFAULT :worker;
  asked_lease NUMBER DEFAULT :lease;
BEGIN
  UPDATE {schema}tq_job j
  SET
    j.state = 'running',
    j.attempts = j.attempts + 1,
    j.worker_id = asked_worker,
    j.lease_until = SYS_EXTRACT_UTC(SYSTIMESTAMP)
      + NUMTODSINTERVAL(TRUNC(asked_lease / 86400000000), 'DAY')
      + NUMTODSINTERVAL(MOD(asked_lease, 86400000000) / 1000000, 'SECOND'),
    j.last_outcome = NULL
  WHERE j.job_id = asked_id AND j.state = 'ready' AND j.attempts = asked_attempts;
END;
