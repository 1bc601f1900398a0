-- Promise: stores jobs; one that an active unique key or an existing id refuses is left out and
--   harms neither the others nor the caller's transaction.
-- Locks: SQLite's one write lock, so every active sibling that commits before these jobs is seen,
--   and the gate of a grouped job is exact: there is nothing to settle.
-- Every commit announces itself through PRAGMA data_version.
-- parameters: jobs text, created_at int64
-- columns: job_id text, created_at int64, queue text, group_key text
--
-- MATERIALIZED: a row of the array is printed once, not once for each of its members, so a batch
-- costs in proportion to its bytes. https://www.sqlite.org/json1.html
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
),
asked(job) AS MATERIALIZED (
  SELECT value FROM json_each(:jobs)
)
INSERT INTO {schema}tq_job
  (job_id, queue, kind, gate, priority, run_at, created_at, max_attempts, unique_key, group_key,
   payload)
SELECT
  json_extract(job, '$.job_id'),
  json_extract(job, '$.queue'),
  json_extract(job, '$.kind'),
  -- Blocked until the next step has seen who is first among those that were really stored.
  CASE WHEN json_extract(job, '$.group_key') IS NULL THEN 0 ELSE 2 END,
  json_extract(job, '$.priority'),
  coalesce(json_extract(job, '$.run_at'), now + coalesce(json_extract(job, '$.delay'), 0)),
  coalesce(:created_at, now),
  json_extract(job, '$.max_attempts'),
  json_extract(job, '$.unique_key'),
  json_extract(job, '$.group_key'),
  json_extract(job, '$.payload')
FROM clock CROSS JOIN asked
-- Without a WHERE, the parser takes ON for a join's.
WHERE true
ON CONFLICT DO NOTHING
RETURNING job_id, created_at, queue, group_key
-- step
-- Opens the first job of each group that got one, unless the group has a running job. A former
-- first that now stands behind a new job of the same millisecond stays open: the claim looks for
-- the first itself, the gate only spares it the search.
WITH touched(queue, group_key) AS MATERIALIZED (
  SELECT DISTINCT json_extract(value, '$.queue'), json_extract(value, '$.group_key')
  FROM json_each(:picked)
  WHERE json_extract(value, '$.group_key') IS NOT NULL
)
UPDATE {schema}tq_job SET gate = 0
WHERE job_id IN (
    SELECT (SELECT head.job_id FROM {schema}tq_job AS head INDEXED BY tq_job_group
            WHERE head.queue = touched.queue AND head.group_key = touched.group_key
              AND head.state IN ('ready', 'running')
            ORDER BY head.created_at, head.job_id LIMIT 1)
    FROM touched
    WHERE NOT EXISTS (
        SELECT 1 FROM {schema}tq_job AS busy INDEXED BY tq_job_running
        WHERE busy.queue = touched.queue AND busy.group_key = touched.group_key
          AND busy.state = 'running'))
  AND state = 'ready' AND gate <> 0
