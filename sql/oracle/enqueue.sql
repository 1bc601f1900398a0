-- Promise: stores the given jobs with one created_at, and gives the ids of those that were stored. A
-- job whose id is taken or whose unique key an active job holds is left out; the transaction goes on.
-- Locks: the new rows until the end of the transaction. Where another transaction has inserted the
-- same unique key and is not finished, it is waited for; keys are inserted in order, so that two calls
-- that share several of them do not wait for one another in a ring. A claim or a finish never waits
-- for it: neither puts an entry into tq_job_unique.
-- Two at once with one key: the second waits at the first's entry of the index. If that commits, the
-- second's INSERT is undone alone, and the job is left out; if it rolls back, the second is stored.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/cncpt/data-concurrency-and-consistency.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/plsql-error-handling.html
-- parameters: jobs text, created_at int64
INSERT INTO {schema}tq_given (jobs) VALUES (:jobs)
-- step
-- A key whose holder cannot be seen was taken and let go of meanwhile, so the INSERT is tried again;
-- or the caller's SERIALIZABLE transaction is older than the holder: that is ORA-08177.
DECLARE
  given_jobs CLOB;
  asked_at NUMBER DEFAULT :created_at;
  moment TIMESTAMP(6);
  holders NUMBER;
  cannot_serialize EXCEPTION;
  PRAGMA EXCEPTION_INIT(cannot_serialize, -8177);
BEGIN
  DELETE FROM {schema}tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM {schema}tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM {schema}tq_given l);
  -- In two parts, since NUMTODSINTERVAL takes no more than 2,147,483,647 seconds.
  SELECT CASE
      WHEN asked_at IS NULL THEN CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS TIMESTAMP(6))
      ELSE TIMESTAMP '1970-01-01 00:00:00' + NUMTODSINTERVAL(TRUNC(asked_at / 86400000000), 'DAY')
        + NUMTODSINTERVAL(MOD(asked_at, 86400000000) / 1000000, 'SECOND')
    END
  INTO moment FROM DUAL;
  FOR g IN (
    SELECT
      d.ord, d.id, d.queue, d.kind, d.payload, d.priority, d.max_attempts, d.unique_key,
      d.group_key, d.run_at, COALESCE(d.delay, 0) AS delay,
      CASE
        WHEN d.group_key IS NULL THEN 0
        WHEN d.nth > 1 THEN 1
        -- This sibling may end before the new job is visible to whoever ends it, so the new job is
        -- stored as unsettled, not as blocked.
        WHEN EXISTS (
          SELECT /*+ INDEX(s tq_job_group) */ s.job_id FROM {schema}tq_job s
          WHERE s.group_q = d.queue AND s.group_g = d.group_key) THEN 1
        ELSE 0
      END AS gate
    FROM (
      SELECT
        p.*, HEXTORAW(REPLACE(p.job_id, '-', '')) AS id,
        ROW_NUMBER() OVER (PARTITION BY p.queue, p.group_key ORDER BY p.ord) AS nth
      FROM JSON_TABLE(given_jobs, '$[*]' ERROR ON ERROR COLUMNS (
        ord NUMBER PATH '$.ord',
        job_id VARCHAR2(36) PATH '$.job_id',
        queue VARCHAR2(128 CHAR) PATH '$.queue',
        kind VARCHAR2(128 CHAR) PATH '$.kind',
        payload CLOB PATH '$.payload',
        priority NUMBER PATH '$.priority',
        delay NUMBER PATH '$.delay',
        run_at NUMBER PATH '$.run_at',
        max_attempts NUMBER PATH '$.max_attempts',
        unique_key VARCHAR2(128 CHAR) PATH '$.unique_key',
        group_key VARCHAR2(128 CHAR) PATH '$.group_key')) p) d
    -- By their bytes, whatever NLS_SORT the session has.
    ORDER BY NLSSORT(d.queue, 'NLS_SORT=BINARY'), NLSSORT(d.unique_key, 'NLS_SORT=BINARY'), d.ord
  ) LOOP
    FOR attempt IN 1 .. 5 LOOP
      BEGIN
        INSERT INTO {schema}tq_job (
          job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key,
          group_key, gate)
        VALUES (
          g.id, g.queue, g.kind, g.payload, g.priority,
          CASE
            WHEN g.run_at IS NULL THEN
              moment + NUMTODSINTERVAL(TRUNC(g.delay / 86400000000), 'DAY')
              + NUMTODSINTERVAL(MOD(g.delay, 86400000000) / 1000000, 'SECOND')
            ELSE TIMESTAMP '1970-01-01 00:00:00'
              + NUMTODSINTERVAL(TRUNC(g.run_at / 86400000000), 'DAY')
              + NUMTODSINTERVAL(MOD(g.run_at, 86400000000) / 1000000, 'SECOND')
          END,
          moment, g.max_attempts, g.unique_key, g.group_key, g.gate);
        INSERT INTO {schema}tq_answer (ord, job_id) VALUES (g.ord, g.id);
        EXIT;
      EXCEPTION
        WHEN DUP_VAL_ON_INDEX THEN
          SELECT
            (SELECT COUNT(*) FROM {schema}tq_job h WHERE h.job_id = g.id)
            + (SELECT COUNT(*) FROM {schema}tq_job h
               WHERE h.unique_q = g.queue AND h.unique_k = g.unique_key)
          INTO holders FROM DUAL;
          EXIT WHEN holders > 0;
          IF attempt = 5 THEN RAISE cannot_serialize; END IF;
      END;
    END LOOP;
  END LOOP;
  DELETE FROM {schema}tq_given;
END;
-- step
-- columns: job_id text, created_at int64
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */ j.uuid AS job_id, j.created_us AS created_at
FROM {schema}tq_answer a
JOIN {schema}tq_job j ON j.job_id = a.job_id
