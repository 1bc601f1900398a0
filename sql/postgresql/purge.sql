-- Promise: deletes up to n jobs of one final state that finished longer than older_than ago, with
-- their failures, the oldest first within a queue; of one queue, or of all of them.
-- Locks: those jobs' rows until the end of the transaction, passing over locked ones.
-- Index: tq_job_final, entered once for each queue. The queues are found by stepping from one to
-- the next, not by reading their jobs.
-- https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-RECURSIVE
-- parameters: queue text, state text, older_than int64, n int64
-- columns: job_id text
WITH RECURSIVE queues (queue) AS (
  SELECT COALESCE(
    CAST(:queue AS text),
    (SELECT j.queue FROM {schema}tq_job AS j
     WHERE j.finished_at IS NOT NULL ORDER BY j.queue LIMIT 1))
  UNION ALL
  SELECT
    (SELECT j.queue FROM {schema}tq_job AS j
     WHERE j.finished_at IS NOT NULL AND j.queue > q.queue ORDER BY j.queue LIMIT 1)
  FROM queues AS q
  WHERE q.queue IS NOT NULL AND CAST(:queue AS text) IS NULL
), picked AS MATERIALIZED (
  SELECT p.job_id
  FROM queues AS q
  CROSS JOIN LATERAL (
    SELECT j.job_id
    FROM {schema}tq_job AS j
    WHERE j.queue = q.queue AND j.state = :state AND j.finished_at IS NOT NULL
      AND j.finished_at
        < (SELECT clock_timestamp() - CAST(:older_than AS bigint) * INTERVAL '1 microsecond')
    ORDER BY j.finished_at
    LIMIT :n
    FOR UPDATE SKIP LOCKED
  ) AS p
  LIMIT :n
), failures AS (
  DELETE FROM {schema}tq_failure AS f
  WHERE f.job_id = ANY (ARRAY(SELECT p.job_id FROM picked AS p))
)
DELETE FROM {schema}tq_job AS j
WHERE j.job_id = ANY (ARRAY(SELECT p.job_id FROM picked AS p)) AND j.state = :state
RETURNING CAST(j.job_id AS text) AS job_id
