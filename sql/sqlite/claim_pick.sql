-- Promise: makes up to n eligible jobs of one priority running, in the order run_at, job_id, and
--   gives them back, in no order. Paused queues give nothing.
-- Locks: SQLite's one write lock, so no other claimer can stand between the choice and the change.
-- parameters: queue text, worker text, n int64, lease int64, priority int64
-- columns: job_id text, kind text, payload text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, lease_until int64, unique_key text, group_key text
--
-- INDEXED BY: the plan must not depend on statistics, which are missing or stale after a bulk load.
-- https://www.sqlite.org/lang_indexedby.html
-- A grouped job must be the first of its group, and no other may run: the gate is open for at most
-- a few that are not.
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
)
UPDATE {schema}tq_job
SET state = 'running',
    attempts = attempts + 1,
    worker_id = :worker,
    lease_until = (SELECT now FROM clock) + :lease,
    last_outcome = NULL
WHERE rowid IN (
    SELECT job.rowid FROM {schema}tq_job AS job INDEXED BY tq_job_claim
    WHERE job.queue = :queue AND job.state = 'ready' AND job.gate = 0
      AND job.priority = :priority AND job.run_at <= (SELECT now FROM clock)
      AND NOT EXISTS (SELECT 1 FROM {schema}tq_queue AS setting
                      WHERE setting.queue = :queue AND setting.paused_at IS NOT NULL)
      AND (job.group_key IS NULL
           OR (job.job_id = (SELECT head.job_id
                             FROM {schema}tq_job AS head INDEXED BY tq_job_group
                             WHERE head.queue = job.queue AND head.group_key = job.group_key
                               AND head.state IN ('ready', 'running')
                             ORDER BY head.created_at, head.job_id LIMIT 1)
               AND NOT EXISTS (SELECT 1 FROM {schema}tq_job AS busy INDEXED BY tq_job_running
                               WHERE busy.queue = job.queue AND busy.group_key = job.group_key
                                 AND busy.state = 'running')))
    ORDER BY job.run_at, job.job_id
    LIMIT :n)
RETURNING job_id, kind, payload, priority, run_at, created_at, attempts, max_attempts, lease_until,
          unique_key, group_key
