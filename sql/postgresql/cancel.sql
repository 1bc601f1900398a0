-- Promise: makes ready jobs cancelled and asks running ones to stop; says of each which it was. The
-- group of a cancelled job goes on.
-- Locks: the jobs' rows in the order of job_id, then one sibling of each group likewise; waits for
-- them and holds them until the end of the transaction.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- parameters: jobs text
-- columns: ord int64, outcome text
WITH given AS MATERIALIZED (
  SELECT g.ord, g.job_id
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (ord bigint, job_id uuid)
), locked AS MATERIALIZED (
  SELECT j.job_id, j.state
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE
), changed AS (
  UPDATE {schema}tq_job AS j
  SET
    state = CASE WHEN j.state = 'ready' THEN 'cancelled' ELSE j.state END,
    finished_at = CASE WHEN j.state = 'ready' THEN clock_timestamp() END,
    cancel_requested_at = CASE
      WHEN j.state = 'running' THEN COALESCE(j.cancel_requested_at, clock_timestamp()) END
  WHERE j.job_id = ANY (ARRAY(
      SELECT l.job_id FROM locked AS l WHERE l.state IN ('ready', 'running')))
    AND j.state IN ('ready', 'running')
)
SELECT
  g.ord,
  CASE
    WHEN l.state IS NULL THEN 'gone'
    WHEN l.state = 'running' THEN 'requested'
    WHEN l.state = 'ready' THEN 'cancelled'
    ELSE 'finished'
  END AS outcome
FROM given AS g
LEFT JOIN locked AS l ON l.job_id = g.job_id
ORDER BY g.ord
-- step
-- The first blocked sibling becomes unsettled, and the next claim judges it anew. Opening it here
-- would not do: a finish that runs now may have seen the cancelled job as the next one, waits for
-- it, and then opens nobody.
WITH given AS MATERIALIZED (
  -- By id alone, as in finish.sql.
  SELECT j.queue, j.group_key, j.state
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(
    SELECT g.job_id FROM json_to_recordset(CAST(:jobs AS json)) AS g (job_id uuid)))
), ended AS MATERIALIZED (
  SELECT DISTINCT g.queue, g.group_key
  FROM given AS g
  WHERE g.group_key IS NOT NULL AND g.state = 'cancelled'
), next AS MATERIALIZED (
  SELECT
    (SELECT j.job_id FROM {schema}tq_job AS j
     WHERE j.queue = e.queue AND j.group_key = e.group_key AND j.state IN ('ready', 'running')
       AND j.state = 'ready' AND j.gate = 2
     ORDER BY j.created_at, j.job_id LIMIT 1) AS job_id
  FROM ended AS e
), locked AS MATERIALIZED (
  SELECT j.job_id
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(SELECT n.job_id FROM next AS n))
    AND j.state = 'ready' AND j.gate = 2
  ORDER BY j.job_id
  FOR NO KEY UPDATE
)
UPDATE {schema}tq_job AS j
SET gate = 1
WHERE j.job_id = ANY (ARRAY(SELECT l.job_id FROM locked AS l))
  AND j.state = 'ready'
