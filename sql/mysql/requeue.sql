-- Promise: makes dead jobs ready again, due at once, with extra attempts on top of those made. A job
-- whose unique key an active one holds by now, or an earlier one of the same call, stays dead.
-- Locks: the jobs' rows in the order of job_id, waiting for them, and a share of the holders'. A
-- producer who takes the key at the same moment makes this fail as a duplicate.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: jobs text, extra_attempts int64
SELECT j.attempts
FROM (
  SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id
  FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
    job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
  ORDER BY id
  LIMIT 1000
) AS g
STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
FOR UPDATE
-- step
-- columns: ord int64, outcome text, holder text, job_id text
SELECT
  d.ord,
  CASE
    WHEN d.state IS NULL THEN 'gone'
    WHEN d.state <> 'dead' THEN 'not_dead'
    WHEN d.holder IS NOT NULL THEN 'held'
    ELSE 'requeued'
  END AS outcome,
  CASE WHEN d.state = 'dead' THEN d.holder END AS holder,
  d.job_id
FROM (
  SELECT
    s.ord, s.job_id, s.state,
    COALESCE(
      s.holder,
      -- Of the dead jobs of this call with one free key, the first gets it.
      CASE WHEN s.unique_key IS NOT NULL THEN
        NULLIF(
          FIRST_VALUE(s.job_id) OVER (
            PARTITION BY s.queue, s.unique_key, s.state ORDER BY s.ord),
          s.job_id)
      END) AS holder
  FROM (
    SELECT
      g.ord, g.job_id, j.state, j.queue, j.unique_key,
      (SELECT
         LOWER(INSERT(INSERT(INSERT(INSERT(HEX(h.job_id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
       FROM {schema}tq_job AS h FORCE INDEX (tq_job_unique)
       WHERE h.active_q = j.queue AND h.unique_key = j.unique_key
       LOCK IN SHARE MODE) AS holder
    FROM (
      SELECT p.ord, p.job_id, UNHEX(REPLACE(p.job_id, '-', '')) AS id
      FROM JSON_TABLE(CONVERT(:jobs USING utf8mb4), '$[*]' COLUMNS (
        ord BIGINT PATH '$.ord',
        job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id')) AS p
      LIMIT 1000
    ) AS g
    LEFT JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
    LIMIT 1000
    FOR UPDATE
  ) AS s
) AS d
-- step
UPDATE (
    SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS id
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
      outcome VARCHAR(16) CHARACTER SET ascii PATH '$.outcome')) AS p
    WHERE p.outcome = 'requeued'
    LIMIT 1000
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.id
SET
  j.state = 'ready',
  j.max_attempts = j.attempts + :extra_attempts,
  j.run_at = UTC_TIMESTAMP(6),
  j.finished_at = NULL,
  j.cancel_requested_at = NULL,
  -- Its group may have gone on meanwhile: the next claim puts it in its old place.
  j.gate = CASE WHEN j.group_key IS NULL THEN 0 ELSE 1 END
WHERE j.state = 'dead'
