-- Promise: a dead job becomes ready, due at once, with extra attempts on top of those made; refused
--   while an active job, or an earlier one of the same call, holds its unique key.
-- Locks: SQLite's one write lock, so a key that is free here is free in the next step.
-- parameters: jobs text, extra_attempts int64
-- columns: ord int64, outcome text, holder text, job_id text, queue text, group_key text
WITH asked(ord, job_id) AS MATERIALIZED (
  SELECT json_extract(value, '$.ord'), json_extract(value, '$.job_id') FROM json_each(:jobs)
),
found(ord, job_id, queue, group_key, unique_key, state, active) AS MATERIALIZED (
  SELECT asked.ord, asked.job_id, job.queue, job.group_key, job.unique_key, job.state,
    (SELECT active.job_id FROM {schema}tq_job AS active INDEXED BY tq_job_unique
     WHERE active.queue = job.queue AND active.unique_key = job.unique_key
       AND active.state IN ('ready', 'running'))
  FROM asked LEFT JOIN {schema}tq_job AS job ON job.job_id = asked.job_id
),
judged(ord, job_id, queue, group_key, state, holder) AS MATERIALIZED (
  SELECT ord, job_id, queue, group_key, state,
    -- Of the dead jobs of this call with one free key, the first gets it.
    CASE
      WHEN state = 'dead' AND unique_key IS NOT NULL THEN coalesce(
        active,
        nullif(first_value(job_id) OVER (PARTITION BY queue, unique_key, state ORDER BY ord),
               job_id))
    END
  FROM found
)
SELECT ord,
  CASE
    WHEN state IS NULL THEN 'gone'
    WHEN state <> 'dead' THEN 'not_dead'
    WHEN holder IS NOT NULL THEN 'held'
    ELSE 'requeued'
  END,
  holder, job_id, queue, group_key
FROM judged
-- step
-- created_at stays, so a grouped job takes its old place; it is blocked until the next step has
-- seen whether it is the first.
UPDATE {schema}tq_job
SET state = 'ready',
    gate = CASE WHEN group_key IS NULL THEN 0 ELSE 2 END,
    run_at = CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000,
    max_attempts = attempts + :extra_attempts,
    finished_at = NULL,
    cancel_requested_at = NULL
WHERE job_id IN (SELECT json_extract(value, '$.job_id') FROM json_each(:picked)
                 WHERE json_extract(value, '$.outcome') = 'requeued')
-- step
-- Opens the first job of each group that got one back, unless the group has a running job.
WITH touched(queue, group_key) AS MATERIALIZED (
  SELECT DISTINCT json_extract(value, '$.queue'), json_extract(value, '$.group_key')
  FROM json_each(:picked)
  WHERE json_extract(value, '$.outcome') = 'requeued'
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
