-- Promise: says for each job that enqueue refused which job stands in its way: the active one that
-- holds its unique key, else the one that has its id. No row where there is none any more.
-- Locks: none. At READ COMMITTED it sees the winner that enqueue has waited for; enqueue.sql refuses
-- to go on (ORA-08177) where a SERIALIZABLE caller cannot see it.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/cncpt/data-concurrency-and-consistency.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/JSON_TABLE.html
-- parameters: jobs text
INSERT INTO {schema}tq_given (jobs) VALUES (:jobs)
-- step
-- columns: ord int64, job_id text
SELECT CAST(h.ord AS NUMBER(19)) AS ord, h.uuid AS job_id
FROM (
  SELECT
    p.ord,
    COALESCE(
      (SELECT /*+ INDEX(k tq_job_unique) */ k.uuid FROM {schema}tq_job k
       WHERE k.unique_q = p.queue AND k.unique_k = p.unique_key),
      (SELECT /*+ INDEX(i tq_job_pk) */ i.uuid FROM {schema}tq_job i
       WHERE i.job_id = HEXTORAW(REPLACE(p.job_id, '-', '')))) AS uuid
  FROM {schema}tq_given g, JSON_TABLE(g.jobs, '$[*]' ERROR ON ERROR COLUMNS (
    ord NUMBER PATH '$.ord',
    job_id VARCHAR2(36) PATH '$.job_id',
    queue VARCHAR2(128 CHAR) PATH '$.queue',
    unique_key VARCHAR2(128 CHAR) PATH '$.unique_key')) p
  WHERE g.seq = (SELECT MAX(l.seq) FROM {schema}tq_given l)
) h
WHERE h.uuid IS NOT NULL
ORDER BY h.ord
