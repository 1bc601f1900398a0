-- Promise: makes ready jobs cancelled and asks running ones to stop; says of each which it was. The
-- group of a cancelled job goes on.
-- Locks: the jobs' rows in the order of job_id, then one sibling of each group likewise; waits for them and
-- holds them until the end of the transaction.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: jobs text
-- columns: ord int64, outcome text, job_id text, queue text, group_key text
SELECT
  g.ord,
  CASE
    WHEN j.state IS NULL THEN 'gone'
    WHEN j.state = 'running' THEN 'requested'
    WHEN j.state = 'ready' THEN 'cancelled'
    ELSE 'finished'
  END AS outcome,
  g.job_id,
  j.queue,
  j.group_key
FROM (
  SELECT p.ord, p.job_id, UNHEX(REPLACE(p.job_id, '-', '')) AS id
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
  ORDER BY id
  LIMIT 1000
) AS g
LEFT JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
FOR UPDATE
-- step
UPDATE (
    SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id, p.outcome
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
      outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome')) AS p
    WHERE p.outcome IN ('cancelled', 'requested')
    LIMIT 1000
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
SET
  j.state = CASE WHEN g.outcome = 'cancelled' THEN 'cancelled' ELSE 'running' END,
  j.finished_at = CASE WHEN g.outcome = 'cancelled' THEN UTC_TIMESTAMP(6) END,
  j.cancel_requested_at = CASE
    WHEN g.outcome = 'requested' THEN COALESCE(j.cancel_requested_at, UTC_TIMESTAMP(6)) END
-- step
-- columns: ord int64, outcome text, next text, latest text
-- The first sibling that is not open, once for each group. If it is blocked it becomes unsettled, and
-- the next claim judges it anew; if it is unsettled, that claim judges the group anyway. Opening it
-- here would not do: a finish that runs now may have seen the cancelled job as the next one, waits
-- for it, and then opens nobody. Why there are two looks: finish.sql.
SELECT
  g.ord,
  g.outcome,
  CASE WHEN g.outcome = 'cancelled' AND g.group_key IS NOT NULL AND g.nth = 1 THEN
    HEX((
      SELECT n.job_id FROM {schema}tq_job AS n FORCE INDEX (tq_job_group)
      WHERE n.active_q = g.queue AND n.group_key = g.group_key
        AND n.state = 'ready' AND n.gate <> 0
      ORDER BY n.active_q, n.group_key, n.created_at, n.job_id LIMIT 1))
  END AS next,
  CASE WHEN g.outcome = 'cancelled' AND g.group_key IS NOT NULL AND g.nth = 1 THEN
    HEX((
      SELECT n.job_id FROM {schema}tq_job AS n FORCE INDEX (tq_job_group)
      WHERE n.active_q = g.queue AND n.group_key = g.group_key
        AND n.state = 'ready' AND n.gate <> 0
      ORDER BY n.active_q, n.group_key, n.created_at, n.job_id LIMIT 1
      FOR UPDATE SKIP LOCKED))
  END AS latest
FROM (
  SELECT
    p.ord,
    p.outcome,
    CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin AS queue,
    CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin AS group_key,
    ROW_NUMBER() OVER (
      PARTITION BY p.outcome, CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin,
        CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin
      ORDER BY p.ord) AS nth
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome',
    queue VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.queue',
    group_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.group_key')) AS p
) AS g
-- step
UPDATE (
    SELECT UNHEX(p.next) AS id
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      next CHAR(32) CHARACTER SET ascii PATH '$.next')) AS p
    WHERE p.next IS NOT NULL
    UNION
    SELECT UNHEX(p.latest) AS id
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      latest CHAR(32) CHARACTER SET ascii PATH '$.latest')) AS p
    WHERE p.latest IS NOT NULL
    ORDER BY id
    LIMIT 2000
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
SET j.gate = 1
WHERE j.state = 'ready' AND j.gate = 2
