-- Promise: one row a queue, ordered by name. Counts what is ready or running, and of each final
--   state at most cap.
-- Locks: none; reads one snapshot.
-- parameters: queue text, cap int64
-- columns: queue text, paused int64, ready int64, due int64, blocked int64, retrying int64, oldest_due int64, running int64, expired int64, succeeded int64, dead int64, cancelled int64, moved int64
--
-- Ready jobs are grouped in the order of the index that holds them. The final index has a queue's
-- million jobs side by side, so its queues are found by stepping from one to the next.
-- An empty blob is greater than any text: without a queue the range is all of them.
-- https://www.sqlite.org/datatype3.html#sort_order
WITH RECURSIVE clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
),
open_jobs AS MATERIALIZED (
  SELECT job.queue, count(*) AS ready, sum(job.run_at <= (SELECT now FROM clock)) AS due,
         sum(job.attempts > 0) AS retrying, min(job.run_at) AS first_run_at
  FROM {schema}tq_job AS job INDEXED BY tq_job_claim
  WHERE job.state = 'ready' AND job.gate = 0
    AND job.queue BETWEEN coalesce(:queue, '') AND coalesce(:queue, x'')
  GROUP BY job.queue
),
blocked_jobs AS MATERIALIZED (
  SELECT job.queue, count(*) AS ready, sum(job.run_at <= (SELECT now FROM clock)) AS due,
         sum(job.attempts > 0) AS retrying, min(job.run_at) AS first_run_at
  FROM {schema}tq_job AS job INDEXED BY tq_job_group
  WHERE job.group_key IS NOT NULL AND job.state IN ('ready', 'running')
    AND job.state = 'ready' AND job.gate <> 0
    AND job.queue BETWEEN coalesce(:queue, '') AND coalesce(:queue, x'')
  GROUP BY job.queue
),
running_jobs AS MATERIALIZED (
  SELECT job.queue, count(*) AS running, sum(job.lease_until <= clock.now) AS expired
  FROM clock CROSS JOIN {schema}tq_job AS job INDEXED BY tq_job_lease
  WHERE job.state = 'running'
  GROUP BY job.queue
),
final_queue(queue) AS (
  SELECT ''
  UNION ALL
  SELECT (SELECT job.queue FROM {schema}tq_job AS job INDEXED BY tq_job_final
          WHERE job.finished_at IS NOT NULL AND job.queue > final_queue.queue
          ORDER BY job.queue LIMIT 1)
  FROM final_queue WHERE final_queue.queue IS NOT NULL
),
shown(queue) AS MATERIALIZED (
  SELECT queue FROM (
    SELECT queue FROM open_jobs
    UNION SELECT queue FROM blocked_jobs
    UNION SELECT queue FROM running_jobs
    UNION SELECT queue FROM final_queue
    UNION SELECT queue FROM {schema}tq_queue WHERE paused_at IS NOT NULL)
  WHERE queue <> '' AND (:queue IS NULL OR queue = :queue)
)
SELECT shown.queue,
  EXISTS (SELECT 1 FROM {schema}tq_queue AS setting
          WHERE setting.queue = shown.queue AND setting.paused_at IS NOT NULL),
  coalesce(open_jobs.ready, 0) + coalesce(blocked_jobs.ready, 0),
  coalesce(open_jobs.due, 0) + coalesce(blocked_jobs.due, 0),
  coalesce(blocked_jobs.ready, 0),
  coalesce(open_jobs.retrying, 0) + coalesce(blocked_jobs.retrying, 0),
  max(0, clock.now - min(coalesce(open_jobs.first_run_at, clock.now),
                         coalesce(blocked_jobs.first_run_at, clock.now))),
  coalesce(running_jobs.running, 0),
  coalesce(running_jobs.expired, 0),
  (SELECT count(*) FROM (SELECT 1 FROM {schema}tq_job AS job INDEXED BY tq_job_final
                         WHERE job.queue = shown.queue AND job.state = 'succeeded'
                           AND job.finished_at IS NOT NULL LIMIT :cap)),
  (SELECT count(*) FROM (SELECT 1 FROM {schema}tq_job AS job INDEXED BY tq_job_final
                         WHERE job.queue = shown.queue AND job.state = 'dead'
                           AND job.finished_at IS NOT NULL LIMIT :cap)),
  (SELECT count(*) FROM (SELECT 1 FROM {schema}tq_job AS job INDEXED BY tq_job_final
                         WHERE job.queue = shown.queue AND job.state = 'cancelled'
                           AND job.finished_at IS NOT NULL LIMIT :cap)),
  (SELECT count(*) FROM (SELECT 1 FROM {schema}tq_job AS job INDEXED BY tq_job_final
                         WHERE job.queue = shown.queue AND job.state = 'moved'
                           AND job.finished_at IS NOT NULL LIMIT :cap))
FROM clock CROSS JOIN shown
LEFT JOIN open_jobs ON open_jobs.queue = shown.queue
LEFT JOIN blocked_jobs ON blocked_jobs.queue = shown.queue
LEFT JOIN running_jobs ON running_jobs.queue = shown.queue
ORDER BY shown.queue
