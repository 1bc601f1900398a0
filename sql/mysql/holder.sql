-- Promise: says for each job that enqueue refused which job stands in its way: the active one that
-- holds its unique key, else the one that has its id. No row where there is none any more.
-- Locks: a share of the holders' rows until the end of the transaction, which enqueue.sql has already.
-- A locking read also sees the winner that committed after the caller's snapshot was taken.
-- https://dev.mysql.com/doc/refman/en/innodb-consistent-read.html
-- parameters: jobs text
-- columns: ord int64, job_id text
SELECT
  h.ord,
  LOWER(INSERT(INSERT(INSERT(INSERT(HEX(h.id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
    AS job_id
FROM (
  SELECT
    g.ord,
    COALESCE(
      (SELECT j.job_id FROM {schema}tq_job AS j FORCE INDEX (tq_job_unique)
       WHERE j.active_q = CONVERT(g.queue USING utf8mb4) COLLATE utf8mb4_bin
         AND j.unique_key = CONVERT(g.unique_key USING utf8mb4) COLLATE utf8mb4_bin
       LOCK IN SHARE MODE),
      (SELECT j.job_id FROM {schema}tq_job AS j FORCE INDEX (PRIMARY)
       WHERE j.job_id = UNHEX(REPLACE(g.job_id, '-', ''))
       LOCK IN SHARE MODE)) AS id
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    queue VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.queue',
    unique_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.unique_key')) AS g
  LIMIT 1000
) AS h
WHERE h.id IS NOT NULL
