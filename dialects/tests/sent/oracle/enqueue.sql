-- bound: jobs text
INSERT INTO tq_given (jobs) VALUES (?)
-- bound: created_at int64
DECLARE
  given_jobs CLOB;
  asked_at NUMBER DEFAULT ?;
  moment TIMESTAMP(6);
  holders NUMBER;
  cannot_serialize EXCEPTION;
  PRAGMA EXCEPTION_INIT(cannot_serialize, -8177);
BEGIN
  DELETE FROM tq_answer;
  SELECT g.jobs INTO given_jobs
  FROM tq_given g WHERE g.seq = (SELECT MAX(l.seq) FROM tq_given l);
  
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
        
        
        WHEN EXISTS (
          SELECT /*+ INDEX(s tq_job_group) */ s.job_id FROM tq_job s
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
    
    ORDER BY NLSSORT(d.queue, 'NLS_SORT=BINARY'), NLSSORT(d.unique_key, 'NLS_SORT=BINARY'), d.ord
  ) LOOP
    FOR attempt IN 1 .. 5 LOOP
      BEGIN
        INSERT INTO tq_job (
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
        INSERT INTO tq_answer (ord, job_id) VALUES (g.ord, g.id);
        EXIT;
      EXCEPTION
        WHEN DUP_VAL_ON_INDEX THEN
          SELECT
            (SELECT COUNT(*) FROM tq_job h WHERE h.job_id = g.id)
            + (SELECT COUNT(*) FROM tq_job h
               WHERE h.unique_q = g.queue AND h.unique_k = g.unique_key)
          INTO holders FROM DUAL;
          EXIT WHEN holders > 0;
          IF attempt = 5 THEN RAISE cannot_serialize; END IF;
      END;
    END LOOP;
  END LOOP;
  DELETE FROM tq_given;
END;
-- bound: nothing
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */ j.uuid AS job_id, j.created_us AS created_at
FROM tq_answer a
JOIN tq_job j ON j.job_id = a.job_id
