-- bound: job_id text, attempts int64
SELECT CAST(j.attempts + 1 AS NUMBER(10)) AS generation
FROM tq_job j
WHERE j.job_id = HEXTORAW(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''))
  AND j.state = 'ready' AND j.attempts = CAST(? AS NUMBER)
FOR UPDATE
-- bound: job_id text, attempts int64, worker text, lease int64
DECLARE
  asked_id RAW(16) DEFAULT HEXTORAW(REPLACE(CAST(? AS VARCHAR2(36)), '-', ''));
  asked_attempts NUMBER DEFAULT ?;
  asked_worker VARCHAR2(128 CHAR) DEFAULT ?;
  asked_lease NUMBER DEFAULT ?;
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
  WHERE j.job_id = asked_id AND j.state = 'ready' AND j.attempts = asked_attempts;
END;
