-- Promise: sets the end of each given lease to now + lease, where the lease is still held. Says of
-- every other one why not.
-- Locks: the jobs' rows in the order of job_id, until the end of the transaction. With wait = 1 they
-- are waited for; with wait = 0 a row that another transaction holds is answered busy.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: jobs text, lease int64, wait int64
--
-- The wait is a step of its own: UTC_TIMESTAMP stands still from a statement's start, so what is
-- judged by it must not have waited in the same statement.
-- https://dev.mysql.com/doc/refman/en/date-and-time-functions.html#function_now
SELECT j.attempts
FROM (
  SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
  WHERE :wait = 1
  ORDER BY id
  LIMIT 1000
) AS g
STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
FOR UPDATE
-- step
-- columns: ord int64, outcome text, lease_until int64, cancel_requested int64, job_id text
SELECT
  g.ord,
  CASE
    WHEN j.job_id IS NULL THEN
      CASE
        WHEN (SELECT b.attempts FROM {schema}tq_job AS b FORCE INDEX (PRIMARY)
              WHERE b.job_id = g.id) IS NULL THEN 'gone'
        ELSE 'busy'
      END
    WHEN j.state = 'running' AND j.attempts = g.generation AND j.worker_id = g.worker
      AND j.lease_until > UTC_TIMESTAMP(6) THEN 'done'
    ELSE 'lost'
  END AS outcome,
  CASE
    WHEN j.state = 'running' AND j.attempts = g.generation AND j.worker_id = g.worker
      AND j.lease_until > UTC_TIMESTAMP(6)
      THEN TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + :lease
  END AS lease_until,
  CASE
    WHEN j.state = 'running' AND j.attempts = g.generation AND j.worker_id = g.worker
      AND j.lease_until > UTC_TIMESTAMP(6) THEN j.cancel_requested_at IS NOT NULL
  END AS cancel_requested,
  g.job_id
FROM (
  SELECT
    p.ord, p.job_id, UNHEX(REPLACE(p.job_id, '-', '')) AS id, p.generation,
    CONVERT(p.worker USING utf8mb4) COLLATE utf8mb4_bin AS worker
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    generation BIGINT PATH '$.generation',
    worker VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.worker')) AS p
  ORDER BY id
  LIMIT 1000
) AS g
LEFT JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
FOR UPDATE SKIP LOCKED
-- step
UPDATE (
    SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id, p.lease_until
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
      lease_until BIGINT PATH '$.lease_until')) AS p
    WHERE p.lease_until IS NOT NULL
    LIMIT 1000
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
SET j.lease_until = TIMESTAMPADD(MICROSECOND, g.lease_until, TIMESTAMP '1970-01-01 00:00:00')
