-- Promise: judges up to 64 groups that have unsettled followers. If the head of the group can be
-- locked, it is opened and up to 8 of the others are marked as blocked. If not, they stay as they
-- are until the next claim. Where nothing is unsettled, it is one look into an index.
-- Locks: those heads and followers until the end of the transaction, passing over what is locked.
-- Why it is needed: a producer may commit a follower after the job before it was finished by
-- someone who could not see the follower, and so opened nobody.
-- Why the head's lock: while it is held nobody can finish the head, and whoever does so later opens
-- the next one from a snapshot that has these followers in it.
-- By group and not by age: the followers of a group whose head is held for long (a handler that runs
-- in its job's transaction) would else stand before all others.
-- https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS
-- parameters: queue text
-- columns: unsettled int64
-- Whether there is anything to do: before most claims the only statement, so the cheapest.
SELECT CAST(1 AS bigint) AS unsettled
FROM {schema}tq_job AS j
WHERE j.queue = :queue AND j.state = 'ready' AND j.gate = 1
ORDER BY j.queue, j.group_key
LIMIT 1
-- step
WITH RECURSIVE unsettled (group_key, nth) AS (
  -- A step from one group to the next in the index, however many followers each has.
  (SELECT j.group_key, 1
   FROM {schema}tq_job AS j
   WHERE j.queue = :queue AND j.state = 'ready' AND j.gate = 1
   ORDER BY j.group_key LIMIT 1)
  UNION ALL
  SELECT
    (SELECT j.group_key FROM {schema}tq_job AS j
     WHERE j.queue = :queue AND j.state = 'ready' AND j.gate = 1 AND j.group_key > u.group_key
     ORDER BY j.group_key LIMIT 1),
    u.nth + 1
  FROM unsettled AS u
  WHERE u.nth < 64 AND u.group_key IS NOT NULL
), first AS MATERIALIZED (
  -- Without a lock: a locking read that passes over a locked head would take the next one for it.
  SELECT
    (SELECT j.job_id FROM {schema}tq_job AS j
     WHERE j.queue = :queue AND j.group_key = u.group_key AND j.state IN ('ready', 'running')
     ORDER BY j.created_at, j.job_id LIMIT 1) AS job_id
  FROM unsettled AS u
  WHERE u.group_key IS NOT NULL
), head AS MATERIALIZED (
  -- By id, so that the state is judged again on the row as it is once it is locked.
  SELECT j.job_id, j.group_key
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(SELECT f.job_id FROM first AS f))
    AND j.state IN ('ready', 'running')
  ORDER BY j.job_id
  FOR NO KEY UPDATE SKIP LOCKED
), follower AS MATERIALIZED (
  SELECT f.job_id
  FROM head AS h
  CROSS JOIN LATERAL (
    SELECT j.job_id
    FROM {schema}tq_job AS j
    WHERE j.queue = :queue AND j.group_key = h.group_key AND j.state = 'ready' AND j.gate = 1
    ORDER BY j.created_at, j.job_id
    LIMIT 8
    FOR NO KEY UPDATE SKIP LOCKED
  ) AS f
)
UPDATE {schema}tq_job AS j
SET gate = CASE WHEN j.job_id = ANY (ARRAY(SELECT h.job_id FROM head AS h)) THEN 0 ELSE 2 END
WHERE j.job_id = ANY (ARRAY(
    SELECT h.job_id FROM head AS h UNION ALL SELECT f.job_id FROM follower AS f))
  AND j.state = 'ready'
  AND j.gate <> CASE WHEN j.job_id = ANY (ARRAY(SELECT h.job_id FROM head AS h)) THEN 0 ELSE 2 END
