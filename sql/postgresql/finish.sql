-- Promise: carries out those acknowledgements that hold the lease, says of each what became of it,
-- and opens the next job of every group whose job became final.
-- Locks: the jobs' rows in the order of job_id, until the end of the transaction. With wait = 1 they
-- are waited for; with wait = 0 a row that another transaction holds is answered busy. So is, whatever
-- wait says, one that somebody changed between the snapshot and the lock: its lock is held, and to ask
-- again is enough. Then the next job of each group, in the order of job_id, waiting for it.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- https://www.postgresql.org/docs/current/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT
-- parameters: jobs text, wait int64
-- columns: ord int64, outcome text
WITH given AS MATERIALIZED (
  SELECT g.ord, g.job_id, g.generation, g.worker, g.verb, g.delay, g.error
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (
    ord bigint, job_id uuid, generation bigint, worker text, verb text, delay bigint, error text)
), waited AS MATERIALIZED (
  -- By id alone, so that what comes out is the row as it is once it is locked. The clock is not read
  -- here: what stands in this list is computed before the wait.
  SELECT
    j.ctid AS place, j.job_id, j.state, j.attempts, j.max_attempts, j.worker_id, j.lease_until,
    j.last_worker, j.last_outcome, j.cancel_requested_at
  FROM {schema}tq_job AS j
  WHERE CAST(:wait AS bigint) = 1 AND j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE
), passed AS MATERIALIZED (
  SELECT
    j.ctid AS place, j.job_id, j.state, j.attempts, j.max_attempts, j.worker_id, j.lease_until,
    j.last_worker, j.last_outcome, j.cancel_requested_at
  FROM {schema}tq_job AS j
  WHERE CAST(:wait AS bigint) = 0 AND j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE SKIP LOCKED
), locked AS MATERIALIZED (
  SELECT w.* FROM waited AS w
  UNION ALL
  SELECT p.* FROM passed AS p
), seen AS MATERIALIZED (
  -- Plainly volatile: the clock is read for each row, after its lock.
  SELECT g.*, clock_timestamp() AS at, l.place, l.state, l.attempts, l.max_attempts, l.worker_id,
    l.lease_until, l.last_worker, l.last_outcome, l.cancel_requested_at
  FROM given AS g
  LEFT JOIN locked AS l ON l.job_id = g.job_id
), judged AS MATERIALIZED (
  SELECT
    s.*,
    COALESCE(
      s.state = 'running' AND s.attempts = s.generation AND s.worker_id = s.worker
        AND (s.lease_until > s.at) = (s.verb <> 'expired'),
      false) AS held
  FROM seen AS s
), accepted AS MATERIALIZED (
  SELECT
    d.ord, d.place, d.job_id, d.generation, d.worker, d.verb, d.at,
    CASE WHEN d.verb IN ('failed', 'expired') THEN left(COALESCE(d.error, ''), 4000) END AS error,
    d.at + COALESCE(CASE WHEN d.verb = 'released' THEN 0 ELSE d.delay END, 0)
      * INTERVAL '1 microsecond' AS run_at,
    CASE
      WHEN d.verb = 'completed' THEN 'succeeded'
      WHEN d.verb = 'cancelled' OR d.cancel_requested_at IS NOT NULL THEN 'cancelled'
      WHEN d.verb IN ('snoozed', 'released') THEN 'ready'
      WHEN d.delay IS NULL OR d.attempts >= d.max_attempts THEN 'dead'
      ELSE 'ready'
    END AS becomes
  FROM judged AS d
  WHERE d.held
), changed AS (
  UPDATE {schema}tq_job AS j
  SET
    state = a.becomes,
    run_at = CASE WHEN a.becomes = 'ready' THEN a.run_at ELSE j.run_at END,
    max_attempts = j.max_attempts
      + CASE WHEN a.becomes = 'ready' AND a.verb IN ('snoozed', 'released') THEN 1 ELSE 0 END,
    worker_id = NULL,
    lease_until = NULL,
    last_worker = a.worker,
    last_outcome = a.verb,
    last_error = COALESCE(a.error, j.last_error),
    finished_at = CASE WHEN a.becomes <> 'ready' THEN a.at END,
    cancel_requested_at = CASE WHEN a.becomes = 'cancelled' THEN j.cancel_requested_at END
  FROM accepted AS a
  -- By its place, as in claim_pick.sql: an array alone would not say which row is whose, and joined
  -- by its id each row would be looked up a second time.
  WHERE j.ctid = a.place
  RETURNING a.ord, a.job_id, a.generation, a.worker, a.at, a.error
), failed AS (
  -- A failure of the same generation is there already if the job was deleted and stored again.
  INSERT INTO {schema}tq_failure (job_id, generation, worker_id, failed_at, error)
  SELECT c.job_id, CAST(c.generation AS integer), c.worker, c.at, c.error
  FROM changed AS c
  WHERE c.error IS NOT NULL
  ON CONFLICT (job_id, generation) DO UPDATE
  SET worker_id = EXCLUDED.worker_id, failed_at = EXCLUDED.failed_at, error = EXCLUDED.error
)
SELECT
  d.ord,
  CASE
    WHEN c.ord IS NOT NULL THEN 'done'
    WHEN d.held THEN 'busy'
    WHEN d.state <> 'running' AND d.attempts = d.generation AND d.last_worker = d.worker
      AND d.last_outcome = d.verb THEN 'already'
    WHEN d.state IS NOT NULL THEN 'lost'
    WHEN CAST(:wait AS bigint) = 0
      AND (SELECT j.job_id FROM {schema}tq_job AS j WHERE j.job_id = d.job_id) IS NOT NULL
      THEN 'busy'
    ELSE 'gone'
  END AS outcome
FROM judged AS d
LEFT JOIN changed AS c ON c.ord = d.ord
-- step
-- when: grouped
-- A statement of its own: its snapshot is taken after the waits of the first one, and so shows every
-- follower that was committed before this transaction held the job.
WITH given AS MATERIALIZED (
  -- By id alone: a condition here would offer the planner an index of all finished jobs.
  SELECT j.queue, j.group_key, j.finished_at
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(
    SELECT g.job_id FROM json_to_recordset(CAST(:jobs AS json)) AS g (job_id uuid)))
), ended AS MATERIALIZED (
  SELECT DISTINCT g.queue, g.group_key
  FROM given AS g
  WHERE g.group_key IS NOT NULL AND g.finished_at IS NOT NULL
), next AS MATERIALIZED (
  SELECT
    (SELECT j.job_id FROM {schema}tq_job AS j
     WHERE j.queue = e.queue AND j.group_key = e.group_key AND j.state IN ('ready', 'running')
     ORDER BY j.created_at, j.job_id LIMIT 1) AS job_id
  FROM ended AS e
), locked AS MATERIALIZED (
  SELECT j.job_id
  FROM {schema}tq_job AS j
  WHERE j.job_id = ANY (ARRAY(SELECT n.job_id FROM next AS n))
    AND j.state = 'ready' AND j.gate <> 0
  ORDER BY j.job_id
  FOR NO KEY UPDATE
)
UPDATE {schema}tq_job AS j
SET gate = 0
WHERE j.job_id = ANY (ARRAY(SELECT l.job_id FROM locked AS l))
  AND j.state = 'ready'
