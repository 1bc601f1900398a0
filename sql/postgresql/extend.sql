-- Promise: sets the end of each given lease to now + lease, where the lease is still held. Says of
-- every other one why not.
-- Locks: the jobs' rows in the order of job_id, until the end of the transaction. With wait = 1 they
-- are waited for; with wait = 0 a row that another transaction holds is answered busy.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- https://www.postgresql.org/docs/current/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT
-- parameters: jobs text, lease int64, wait int64
-- columns: ord int64, outcome text, lease_until int64, cancel_requested int64
WITH given AS MATERIALIZED (
  SELECT g.ord, g.job_id, g.generation, g.worker
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (
    ord bigint, job_id uuid, generation bigint, worker text)
), waited AS MATERIALIZED (
  -- By id alone, so that what comes out is the row as it is once it is locked. The clock is not read
  -- here: what stands in this list is computed before the wait.
  SELECT
    j.job_id, j.state, j.attempts, j.worker_id, j.lease_until, j.cancel_requested_at
  FROM {schema}tq_job AS j
  WHERE CAST(:wait AS bigint) = 1 AND j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE
), passed AS MATERIALIZED (
  SELECT
    j.job_id, j.state, j.attempts, j.worker_id, j.lease_until, j.cancel_requested_at
  FROM {schema}tq_job AS j
  WHERE CAST(:wait AS bigint) = 0 AND j.job_id = ANY (ARRAY(SELECT g.job_id FROM given AS g))
  ORDER BY j.job_id
  FOR NO KEY UPDATE SKIP LOCKED
), locked AS MATERIALIZED (
  SELECT w.* FROM waited AS w
  UNION ALL
  SELECT p.* FROM passed AS p
), judged AS MATERIALIZED (
  SELECT
    g.ord, g.job_id, g.generation,
    (l.cancel_requested_at IS NOT NULL) AS cancel_requested,
    CASE
      WHEN l.job_id IS NOT NULL THEN
        CASE
          WHEN l.state = 'running' AND l.attempts = g.generation AND l.worker_id = g.worker
            -- Plainly volatile: read for each row, after its lock.
            AND l.lease_until > clock_timestamp() THEN 'done'
          ELSE 'lost'
        END
      WHEN CAST(:wait AS bigint) = 0
        AND (SELECT j.job_id FROM {schema}tq_job AS j WHERE j.job_id = g.job_id) IS NOT NULL
        THEN 'busy'
      ELSE 'gone'
    END AS outcome
  FROM given AS g
  LEFT JOIN locked AS l ON l.job_id = g.job_id
), changed AS (
  UPDATE {schema}tq_job AS j
  SET lease_until = clock_timestamp() + CAST(:lease AS bigint) * INTERVAL '1 microsecond'
  -- An owner stands for running: naming the state would offer the planner an index of all running
  -- jobs.
  WHERE j.job_id = ANY (ARRAY(SELECT d.job_id FROM judged AS d WHERE d.outcome = 'done'))
    AND j.worker_id IS NOT NULL
  RETURNING j.job_id, j.lease_until
)
SELECT
  d.ord,
  d.outcome,
  CAST(EXTRACT(EPOCH FROM c.lease_until) * 1000000 AS bigint) AS lease_until,
  CASE WHEN d.outcome = 'done' THEN CAST(CAST(d.cancel_requested AS integer) AS bigint) END
    AS cancel_requested
FROM judged AS d
LEFT JOIN changed AS c ON c.job_id = d.job_id AND d.outcome = 'done'
ORDER BY d.ord
