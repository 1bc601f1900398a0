-- Promise: stores the given jobs with one created_at, and gives the ids of those that were stored. A
-- job whose id is taken or whose unique key an active job holds is left out; the transaction goes
-- on. Right at every isolation level of the caller's.
-- Locks: the new rows until the end of the transaction; of a job that refuses one, a share of its row,
-- so its claim passes over it and its end waits until then. Where another transaction has inserted
-- the same unique key and is not finished, it is waited for; keys are inserted in order.
-- Why in three steps: an INSERT that reads the table it writes would lock what it reads above READ
-- COMMITTED; and an INSERT that meets a duplicate shares its lock, so that two of them deadlock once
-- the third, which they waited for, has rolled back. A duplicate that is found beforehand is not
-- inserted, and one that is not is met by ON DUPLICATE KEY UPDATE, which locks it alone. That makes
-- the deadlock rare; it can still happen, at the gap that the third one's row leaves.
--   https://dev.mysql.com/doc/refman/en/innodb-locks-set.html
--   https://dev.mysql.com/doc/refman/en/insert-on-duplicate.html
-- parameters: jobs text, created_at int64
-- columns: job_id text, created_at int64, gate int64
-- What is free, as far as a plain read can see. A holder is looked at again under a lock: the
-- caller's snapshot may be older than its end.
SELECT
  g.job_id,
  COALESCE(:created_at, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))) AS created_at,
  CASE
    WHEN g.group_key IS NULL THEN 0
    WHEN g.nth > 1 THEN 1
    WHEN (
      SELECT s.job_id FROM {schema}tq_job AS s FORCE INDEX (tq_job_group)
      WHERE s.active_q = g.queue AND s.group_key = g.group_key
      ORDER BY s.active_q, s.group_key, s.created_at, s.job_id LIMIT 1) IS NULL THEN 0
    -- This sibling may end before the new job is visible to whoever ends it, so the new job is
    -- stored as unsettled, not as blocked.
    ELSE 1
  END AS gate
FROM (
  SELECT
    p.job_id,
    CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin AS queue,
    CONVERT(p.unique_key USING utf8mb4) COLLATE utf8mb4_bin AS unique_key,
    CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin AS group_key,
    ROW_NUMBER() OVER (
      PARTITION BY CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin,
        CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin
      ORDER BY p.ord) AS nth
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    queue VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.queue',
    unique_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.unique_key',
    group_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.group_key')) AS p
) AS g
WHERE (
    SELECT i.queue FROM {schema}tq_job AS i FORCE INDEX (PRIMARY)
    WHERE i.job_id = UNHEX(REPLACE(g.job_id, '-', ''))) IS NULL
  AND (
    SELECT h.active_q FROM {schema}tq_job AS h FORCE INDEX (PRIMARY)
    WHERE h.job_id = (
      SELECT u.job_id FROM {schema}tq_job AS u FORCE INDEX (tq_job_unique)
      WHERE u.active_q = g.queue AND u.unique_key = g.unique_key)
    LOCK IN SHARE MODE) IS NULL
-- step
INSERT INTO {schema}tq_job (
  job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key, group_key,
  gate)
SELECT
  f.id, g.queue, g.kind, g.payload, g.priority,
  COALESCE(
    TIMESTAMPADD(MICROSECOND, g.run_at, TIMESTAMP '1970-01-01 00:00:00'),
    TIMESTAMPADD(MICROSECOND, f.created_at + COALESCE(g.delay, 0), TIMESTAMP '1970-01-01 00:00:00')),
  TIMESTAMPADD(MICROSECOND, f.created_at, TIMESTAMP '1970-01-01 00:00:00'),
  g.max_attempts, g.unique_key, g.group_key, f.gate
FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
  ord BIGINT PATH '$.ord',
  job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
  queue VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.queue',
  kind VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.kind',
  payload LONGTEXT CHARACTER SET utf8mb4 PATH '$.payload',
  priority INT PATH '$.priority',
  delay BIGINT PATH '$.delay',
  run_at BIGINT PATH '$.run_at',
  max_attempts INT PATH '$.max_attempts',
  unique_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.unique_key',
  group_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.group_key')) AS g
STRAIGHT_JOIN (
  -- DISTINCT and LIMIT make a table of it, in which both servers look up the id by a key.
  SELECT DISTINCT UNHEX(REPLACE(p.job_id, '-', '')) AS id, p.created_at, p.gate
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    created_at BIGINT PATH '$.created_at',
    gate INT PATH '$.gate')) AS p
  LIMIT 1000
) AS f ON f.id = UNHEX(REPLACE(g.job_id, '-', ''))
ORDER BY g.queue, g.unique_key, g.ord
ON DUPLICATE KEY UPDATE job_id = tq_job.job_id
-- step
-- columns: job_id text, created_at int64
-- A row of that id and of this moment is the one that was stored above.
SELECT p.job_id, p.created_at
FROM (
  SELECT p.job_id, p.created_at
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    created_at BIGINT PATH '$.created_at')) AS p
  LIMIT 1000
) AS p
STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY)
  ON j.job_id = UNHEX(REPLACE(p.job_id, '-', ''))
  AND j.created_at = TIMESTAMPADD(MICROSECOND, p.created_at, TIMESTAMP '1970-01-01 00:00:00')
