-- Promise: deletes up to n jobs of one final state that finished longer than older_than ago, with
-- their failures, the oldest first, of one queue: the one given, or any one that has such jobs. So
-- whoever wants to purge every queue repeats it until nothing is deleted.
-- Locks: those jobs' rows until the end of the transaction, passing over locked ones.
-- Index: tq_job_final. Exact bounds need one queue a statement: neither server can limit a range for
-- each row of another table alike.
-- https://dev.mysql.com/doc/refman/en/group-by-optimization.html
-- parameters: queue text, state text, older_than int64, n int64
--
-- columns: queue text
-- Any one, and not the first: jobs that another transaction holds must not stand before the rest.
SELECT q.queue
FROM (
  SELECT CONVERT(:queue USING utf8mb4) COLLATE utf8mb4_bin AS queue
  UNION ALL
  SELECT d.queue
  FROM (
    SELECT DISTINCT j.queue FROM {schema}tq_job AS j FORCE INDEX (tq_job_final)
    WHERE :queue IS NULL
  ) AS d
) AS q
WHERE q.queue IS NOT NULL
  AND (
    SELECT j.finished_at FROM {schema}tq_job AS j FORCE INDEX (tq_job_final)
    WHERE j.queue = q.queue AND j.final_state = :state
    ORDER BY j.queue, j.finished_at LIMIT 1) < TIMESTAMPADD(MICROSECOND, -:older_than, UTC_TIMESTAMP(6))
ORDER BY RAND()
LIMIT 1
-- step
-- columns: job_id text
SELECT
  LOWER(INSERT(INSERT(INSERT(INSERT(HEX(j.job_id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
    AS job_id
FROM {schema}tq_job AS j FORCE INDEX (tq_job_final)
WHERE j.queue = CONVERT(JSON_UNQUOTE(JSON_EXTRACT(CONVERT(:picked USING utf8mb4), '$[0].queue'))
    USING utf8mb4) COLLATE utf8mb4_bin
  AND j.final_state = :state
  AND j.finished_at < TIMESTAMPADD(MICROSECOND, -:older_than, UTC_TIMESTAMP(6))
ORDER BY j.finished_at
LIMIT :n
FOR UPDATE SKIP LOCKED
-- step
-- By the table's name: an alias alone is looked for in the default database.
-- https://dev.mysql.com/doc/refman/en/delete.html
DELETE {schema}tq_failure
FROM (
  SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
  LIMIT 1000
) AS g
STRAIGHT_JOIN {schema}tq_failure FORCE INDEX (PRIMARY) ON {schema}tq_failure.job_id = g.id
-- step
DELETE {schema}tq_job
FROM (
  SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
  LIMIT 1000
) AS g
STRAIGHT_JOIN {schema}tq_job FORCE INDEX (PRIMARY) ON {schema}tq_job.job_id = g.id
