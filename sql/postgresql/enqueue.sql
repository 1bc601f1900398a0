-- Promise: stores the given jobs with one created_at, and gives the ids of those that were stored. A
-- job whose id is taken or whose unique key an active job holds is left out; the transaction goes
-- on. A waiting worker is told when the caller's transaction commits.
-- Locks: the new rows until the end of the transaction. Where another transaction has inserted the
-- same unique key and is not finished, it is waited for; keys are inserted in order, so that two
-- calls that share several of them do not wait for one another in a ring.
-- https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
-- https://www.postgresql.org/docs/current/sql-notify.html
-- parameters: jobs text, created_at int64
-- columns: job_id text, created_at int64
WITH moment AS MATERIALIZED (
  -- Whole seconds and the rest apart: an interval is multiplied as a double, and so stays exact.
  SELECT COALESCE(
    TIMESTAMPTZ 'epoch' + (CAST(:created_at AS bigint) / 1000000) * INTERVAL '1 second'
      + (CAST(:created_at AS bigint) % 1000000) * INTERVAL '1 microsecond',
    clock_timestamp()) AS at
), given AS MATERIALIZED (
  SELECT g.*, row_number() OVER (PARTITION BY g.queue, g.group_key ORDER BY g.ord) AS nth
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (
    ord bigint, job_id uuid, queue text, kind text, payload text, priority smallint, delay bigint,
    run_at bigint, max_attempts integer, unique_key text, group_key text)
), stored AS (
  INSERT INTO {schema}tq_job (
    job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key,
    group_key, gate)
  SELECT
    g.job_id, g.queue, g.kind, CAST(g.payload AS json), g.priority,
    CASE
      WHEN g.run_at IS NULL THEN m.at + COALESCE(g.delay, 0) * INTERVAL '1 microsecond'
      ELSE TIMESTAMPTZ 'epoch' + (g.run_at / 1000000) * INTERVAL '1 second'
        + (g.run_at % 1000000) * INTERVAL '1 microsecond'
    END,
    m.at, g.max_attempts, g.unique_key, g.group_key,
    CASE
      WHEN g.group_key IS NULL THEN 0
      WHEN g.nth > 1 THEN 1
      -- An ordered scalar subquery: an EXISTS might be answered by hashing every active group.
      WHEN (
        SELECT s.job_id FROM {schema}tq_job AS s
        WHERE s.queue = g.queue AND s.group_key = g.group_key AND s.state IN ('ready', 'running')
        ORDER BY s.created_at, s.job_id LIMIT 1
      ) IS NULL THEN 0
      -- This sibling may end before the new job is visible to whoever ends it, so the new job is
      -- stored as unsettled, not as blocked.
      ELSE 1
    END
  FROM given AS g CROSS JOIN moment AS m
  ORDER BY g.queue, g.unique_key, g.ord
  ON CONFLICT DO NOTHING
  RETURNING job_id, queue, run_at, created_at
), announced AS MATERIALIZED (
  -- Only where a worker waits: a notification takes a lock that all databases of the server share.
  SELECT pg_notify('{schema}tq_wake', q.queue)
  FROM {schema}tq_queue AS q
  WHERE q.queue = ANY (ARRAY(SELECT s.queue FROM stored AS s CROSS JOIN moment AS m
                             WHERE s.run_at <= m.at))
    AND q.listen_until > clock_timestamp()
)
SELECT
  CAST(s.job_id AS text) AS job_id,
  CAST(EXTRACT(EPOCH FROM s.created_at) * 1000000 AS bigint) AS created_at
FROM stored AS s
-- A CTE that nothing refers to would not be run.
WHERE (SELECT count(*) FROM announced) >= 0
