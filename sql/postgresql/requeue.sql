-- Promise: makes dead jobs ready again, due at once, with extra attempts on top of those made. A job
-- whose unique key an active one holds by now, or an earlier one of the same call, stays dead.
-- Locks: the jobs' rows in the order of job_id, waiting for them. A producer who takes the key at
-- the same moment makes this statement fail as a duplicate.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- parameters: jobs text, extra_attempts int64
-- columns: ord int64, outcome text, holder text
WITH given AS MATERIALIZED (
  SELECT g.ord, g.job_id
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (ord bigint, job_id uuid)
), locked AS MATERIALIZED (
  SELECT j.job_id, j.state, j.queue, j.unique_key
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE
), seen AS MATERIALIZED (
  SELECT g.ord, g.job_id, l.state, l.queue, l.unique_key,
    (SELECT h.job_id FROM {schema}tq_job AS h
     WHERE h.queue = l.queue AND h.unique_key = l.unique_key AND h.state IN ('ready', 'running')
    ) AS holder
  FROM given AS g
  LEFT JOIN locked AS l ON l.job_id = g.job_id
), judged AS MATERIALIZED (
  SELECT
    s.ord, s.job_id, s.state,
    COALESCE(
      s.holder,
      CASE WHEN s.unique_key IS NOT NULL THEN
        first_value(s.job_id) OVER (
          PARTITION BY s.queue, s.unique_key, s.state, s.holder ORDER BY s.ord)
      END,
      s.job_id) AS holder
  FROM seen AS s
), answered AS MATERIALIZED (
  SELECT
    d.ord, d.job_id,
    CASE
      WHEN d.state IS NULL THEN 'gone'
      WHEN d.state <> 'dead' THEN 'not_dead'
      WHEN d.holder <> d.job_id THEN 'held'
      ELSE 'requeued'
    END AS outcome,
    d.holder
  FROM judged AS d
), changed AS (
  UPDATE {schema}tq_job AS j
  SET
    state = 'ready',
    max_attempts = j.attempts + CAST(:extra_attempts AS integer),
    run_at = clock_timestamp(),
    finished_at = NULL,
    cancel_requested_at = NULL,
    -- Its group may have gone on meanwhile: the next claim puts it in its old place.
    gate = CASE WHEN j.group_key IS NULL THEN 0 ELSE 1 END
  WHERE j.job_id = ANY (ARRAY(SELECT a.job_id FROM answered AS a WHERE a.outcome = 'requeued'))
    AND j.state = 'dead'
)
SELECT a.ord, a.outcome, CASE WHEN a.outcome = 'held' THEN CAST(a.holder AS text) END AS holder
FROM answered AS a
ORDER BY a.ord
