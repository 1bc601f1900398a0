-- Promise: makes up to n due open jobs of a queue running: the first ones by priority descending,
-- run_at, job_id; given back in any order. Nothing from a paused queue. Never waits for a job's row.
-- Locks: exactly the rows that it takes, until the end of the transaction, passing over locked ones.
-- A second claim of the same group may wait for this transaction at the unique index tq_job_running.
-- Index: tq_job_claim, entered once for each priority with exact bounds, so neither the backlog, nor
-- finished jobs, nor jobs of high priority that are not due yet make it slower.
-- https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
-- parameters: queue text, worker text, n int64, lease int64
-- columns: job_id text, kind text, payload text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, lease_until int64, unique_key text, group_key text
WITH picked AS MATERIALIZED (
  -- MATERIALIZED: a plan that ran this more than once would lock, and claim, more than n.
  SELECT c.place
  FROM generate_series(10, -10, -1) AS p (priority)
  CROSS JOIN LATERAL (
    SELECT j.ctid AS place
    FROM {schema}tq_job AS j
    WHERE j.queue = :queue AND j.state = 'ready' AND j.gate = 0
      AND j.priority = p.priority
      -- In a subquery the clock is read once and bounds the index scan; written plainly it would
      -- be read anew for each row of the backlog.
      AND j.run_at <= (SELECT clock_timestamp())
      AND (
        j.group_key IS NULL
        OR (
          -- An open job can have been overtaken by an earlier one that committed later.
          j.job_id = (
            SELECT h.job_id FROM {schema}tq_job AS h
            WHERE h.queue = j.queue AND h.group_key = j.group_key
              AND h.state IN ('ready', 'running')
            ORDER BY h.created_at, h.job_id LIMIT 1)
          -- The same may have happened after the later one was started.
          AND (
            SELECT r.job_id FROM {schema}tq_job AS r
            WHERE r.queue = j.queue AND r.group_key = j.group_key AND r.state = 'running'
            ORDER BY r.queue, r.group_key LIMIT 1) IS NULL))
    ORDER BY j.run_at, j.job_id
    LIMIT :n
    FOR NO KEY UPDATE SKIP LOCKED
  ) AS c
  WHERE (SELECT q.paused_at FROM {schema}tq_queue AS q WHERE q.queue = :queue) IS NULL
  -- Rows are locked as they are asked for: the limit here ends the locking too.
  LIMIT :n
)
-- A locked row stays where it is, so its place finds it again without a look into an index, whatever
-- the statistics say. One that somebody changed between the snapshot and its lock has its new place,
-- which the snapshot does not show: it is left for the next claim. The state is repeated all the same.
-- Places are unique in one table, not in its partitions: tq_job must not be partitioned.
-- https://www.postgresql.org/docs/current/ddl-system-columns.html
UPDATE {schema}tq_job AS j
SET
  state = 'running',
  attempts = j.attempts + 1,
  worker_id = :worker,
  lease_until = clock_timestamp() + CAST(:lease AS bigint) * INTERVAL '1 microsecond',
  last_outcome = NULL
WHERE j.ctid = ANY (ARRAY(SELECT p.place FROM picked AS p))
  AND j.state = 'ready'
RETURNING
  CAST(j.job_id AS text) AS job_id,
  j.kind,
  CAST(j.payload AS text) AS payload,
  CAST(j.priority AS bigint) AS priority,
  CAST(EXTRACT(EPOCH FROM j.run_at) * 1000000 AS bigint) AS run_at,
  CAST(EXTRACT(EPOCH FROM j.created_at) * 1000000 AS bigint) AS created_at,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts,
  CAST(EXTRACT(EPOCH FROM j.lease_until) * 1000000 AS bigint) AS lease_until,
  j.unique_key,
  j.group_key
