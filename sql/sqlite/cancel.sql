-- Promise: a ready job becomes cancelled and its group goes on; a running one gets a cancel
--   request, which its next heartbeat tells; a final one is untouched.
-- Locks: SQLite's one write lock.
-- parameters: jobs text
-- columns: ord int64, outcome text, job_id text, queue text, group_key text
WITH asked(ord, job_id) AS MATERIALIZED (
  SELECT json_extract(value, '$.ord'), json_extract(value, '$.job_id') FROM json_each(:jobs)
)
SELECT asked.ord,
  CASE
    WHEN job.job_id IS NULL THEN 'gone'
    WHEN job.state = 'ready' THEN 'cancelled'
    WHEN job.state = 'running' THEN 'requested'
    ELSE 'finished'
  END,
  asked.job_id, job.queue, job.group_key
FROM asked LEFT JOIN {schema}tq_job AS job ON job.job_id = asked.job_id
-- step
-- last_worker and last_outcome stay: they say how the last claim ended.
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
)
UPDATE {schema}tq_job
SET state = CASE state WHEN 'ready' THEN 'cancelled' ELSE state END,
    finished_at = CASE state WHEN 'ready' THEN (SELECT now FROM clock) END,
    cancel_requested_at = CASE state
      WHEN 'running' THEN coalesce(cancel_requested_at, (SELECT now FROM clock)) END
WHERE job_id IN (SELECT json_extract(value, '$.job_id') FROM json_each(:picked)
                 WHERE json_extract(value, '$.outcome') IN ('cancelled', 'requested'))
-- step
-- Opens the next job of each group that lost one, unless the group has a running job.
WITH touched(queue, group_key) AS MATERIALIZED (
  SELECT DISTINCT json_extract(value, '$.queue'), json_extract(value, '$.group_key')
  FROM json_each(:picked)
  WHERE json_extract(value, '$.outcome') = 'cancelled'
    AND json_extract(value, '$.group_key') IS NOT NULL
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
