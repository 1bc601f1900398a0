-- bound: jobs text
INSERT INTO tq_given (jobs) VALUES (?)
-- bound: nothing
SELECT CAST(h.ord AS NUMBER(19)) AS ord, h.uuid AS job_id
FROM (
  SELECT
    p.ord,
    COALESCE(
      (SELECT /*+ INDEX(k tq_job_unique) */ k.uuid FROM tq_job k
       WHERE k.unique_q = p.queue AND k.unique_k = p.unique_key),
      (SELECT /*+ INDEX(i tq_job_pk) */ i.uuid FROM tq_job i
       WHERE i.job_id = HEXTORAW(REPLACE(p.job_id, '-', '')))) AS uuid
  FROM tq_given g, JSON_TABLE(g.jobs, '$[*]' ERROR ON ERROR COLUMNS (
    ord NUMBER PATH '$.ord',
    job_id VARCHAR2(36) PATH '$.job_id',
    queue VARCHAR2(128 CHAR) PATH '$.queue',
    unique_key VARCHAR2(128 CHAR) PATH '$.unique_key')) p
  WHERE g.seq = (SELECT MAX(l.seq) FROM tq_given l)
) h
WHERE h.uuid IS NOT NULL
ORDER BY h.ord
