-- Promise: carries out those acknowledgements that hold the lease, says of each what became of it,
-- and opens the next job of every group whose job became final.
-- Locks: the jobs' rows in the order of job_id, until the end of the transaction. With wait = 1 they
-- are waited for; with wait = 0 a row that another transaction holds is answered busy. Then the next
-- job of each group, in the order of job_id, waiting for it.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: jobs text, wait int64
--
-- when: waiting
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
-- columns: ord int64, outcome text, job_id text, verb text, error text, becomes text, now int64, run_at int64, more int64, generation int64, worker text, queue text, group_key text
-- The judgement, with all that the later steps need; they change only what was accepted.
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
      AND (j.lease_until > UTC_TIMESTAMP(6)) = (g.verb <> 'expired') THEN 'done'
    WHEN j.state <> 'running' AND j.attempts = g.generation AND j.last_worker = g.worker
      AND j.last_outcome = g.verb THEN 'already'
    ELSE 'lost'
  END AS outcome,
  g.job_id,
  g.verb,
  CASE WHEN g.verb IN ('failed', 'expired') THEN LEFT(COALESCE(g.error, ''), 4000) END AS error,
  CASE
    WHEN g.verb = 'completed' THEN 'succeeded'
    WHEN g.verb = 'cancelled' OR j.cancel_requested_at IS NOT NULL THEN 'cancelled'
    WHEN g.verb IN ('snoozed', 'released') THEN 'ready'
    WHEN g.delay IS NULL OR j.attempts >= j.max_attempts THEN 'dead'
    ELSE 'ready'
  END AS becomes,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
    + CASE WHEN g.verb = 'released' THEN 0 ELSE COALESCE(g.delay, 0) END AS run_at,
  CASE WHEN g.verb IN ('snoozed', 'released') AND j.cancel_requested_at IS NULL THEN 1 ELSE 0 END
    AS more,
  g.generation,
  g.worker,
  j.queue,
  j.group_key
FROM (
  SELECT
    p.ord, p.job_id, UNHEX(REPLACE(p.job_id, '-', '')) AS id, p.generation, p.verb, p.delay,
    p.error, CONVERT(p.worker USING utf8mb4) COLLATE utf8mb4_bin AS worker
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    ord BIGINT PATH '$.ord',
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
    generation BIGINT PATH '$.generation',
    worker VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.worker',
    verb VARCHAR(16) CHARACTER SET ascii PATH '$.verb',
    delay BIGINT PATH '$.delay',
    error TEXT CHARACTER SET utf8mb4 PATH '$.error')) AS p
  ORDER BY id
  LIMIT 1000
) AS g
LEFT JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
FOR UPDATE SKIP LOCKED
-- step
UPDATE (
    SELECT p.*, UNHEX(REPLACE(p.job_id, '-', '')) AS id
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
      outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome',
      verb VARCHAR(16) CHARACTER SET ascii PATH '$.verb',
      error TEXT CHARACTER SET utf8mb4 PATH '$.error',
      becomes VARCHAR(16) CHARACTER SET ascii PATH '$.becomes',
      now BIGINT PATH '$.now',
      run_at BIGINT PATH '$.run_at',
      more INT PATH '$.more',
      worker VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.worker')) AS p
    WHERE p.outcome = 'done'
    LIMIT 1000
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
SET
  j.state = g.becomes,
  j.run_at = CASE
    WHEN g.becomes = 'ready'
      THEN TIMESTAMPADD(MICROSECOND, g.run_at, TIMESTAMP '1970-01-01 00:00:00')
    ELSE j.run_at
  END,
  j.max_attempts = j.max_attempts + g.more,
  j.worker_id = NULL,
  j.lease_until = NULL,
  j.last_worker = g.worker,
  j.last_outcome = g.verb,
  j.last_error = COALESCE(g.error, j.last_error),
  j.finished_at = CASE
    WHEN g.becomes <> 'ready'
      THEN TIMESTAMPADD(MICROSECOND, g.now, TIMESTAMP '1970-01-01 00:00:00')
  END,
  j.cancel_requested_at = CASE WHEN g.becomes = 'cancelled' THEN j.cancel_requested_at END
-- step
-- when: failed
-- A failure of the same generation is there already if the job was deleted and stored again.
INSERT INTO {schema}tq_failure (job_id, generation, worker_id, failed_at, error)
SELECT
  UNHEX(REPLACE(p.job_id, '-', '')), p.generation, p.worker,
  TIMESTAMPADD(MICROSECOND, p.now, TIMESTAMP '1970-01-01 00:00:00'), p.error
FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
  job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
  outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome',
  error TEXT CHARACTER SET utf8mb4 PATH '$.error',
  now BIGINT PATH '$.now',
  generation INT PATH '$.generation',
  worker VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.worker')) AS p
WHERE p.outcome = 'done' AND p.error IS NOT NULL
ON DUPLICATE KEY UPDATE
  worker_id = VALUES(worker_id), failed_at = VALUES(failed_at), error = VALUES(error)
-- step
-- when: grouped
-- columns: ord int64, outcome text, next text, latest text
-- A statement of its own: its snapshot is taken after the jobs' locks were obtained, and shows every
-- follower that was committed by then. Where the caller's snapshot is older, the second look sees
-- the rows as they are; it passes over those that another transaction holds, as one that was just
-- inserted is. Neither waits for a producer.
SELECT
  p.ord,
  p.outcome,
  CASE WHEN p.outcome = 'done' AND p.becomes <> 'ready' AND p.group_key IS NOT NULL THEN
    HEX((
      SELECT n.job_id FROM {schema}tq_job AS n FORCE INDEX (tq_job_group)
      WHERE n.active_q = CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin
        AND n.group_key = CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin
      ORDER BY n.active_q, n.group_key, n.created_at, n.job_id LIMIT 1))
  END AS next,
  CASE WHEN p.outcome = 'done' AND p.becomes <> 'ready' AND p.group_key IS NOT NULL THEN
    HEX((
      SELECT n.job_id FROM {schema}tq_job AS n FORCE INDEX (tq_job_group)
      WHERE n.active_q = CONVERT(p.queue USING utf8mb4) COLLATE utf8mb4_bin
        AND n.group_key = CONVERT(p.group_key USING utf8mb4) COLLATE utf8mb4_bin
      ORDER BY n.active_q, n.group_key, n.created_at, n.job_id LIMIT 1
      FOR UPDATE SKIP LOCKED))
  END AS latest
FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
  ord BIGINT PATH '$.ord',
  outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome',
  becomes VARCHAR(16) CHARACTER SET ascii PATH '$.becomes',
  queue VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.queue',
  group_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.group_key')) AS p
-- step
-- when: grouped
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
SET j.gate = 0
WHERE j.state = 'ready' AND j.gate <> 0
