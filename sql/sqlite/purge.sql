-- Promise: deletes up to n jobs of one final state that finished at least older_than ago, with
--   their failures; oldest first within a queue.
-- Locks: SQLite's one write lock; n bounds how long.
-- parameters: queue text, state text, older_than int64, n int64
-- columns: job_id text
--
-- The queues are found by stepping from one to the next in the final index, and each gives its
-- oldest in the order of that index. CROSS JOIN keeps this nesting, and LIMIT stops it early; an
-- ORDER BY would collect every candidate first. https://www.sqlite.org/optoverview.html#crossjoin
WITH RECURSIVE wanted(queue) AS (
  SELECT coalesce(:queue, (SELECT queue FROM {schema}tq_job INDEXED BY tq_job_final
                           WHERE finished_at IS NOT NULL AND queue > ''
                           ORDER BY queue LIMIT 1))
  UNION ALL
  SELECT (SELECT job.queue FROM {schema}tq_job AS job INDEXED BY tq_job_final
          WHERE job.finished_at IS NOT NULL AND job.queue > wanted.queue
          ORDER BY job.queue LIMIT 1)
  FROM wanted WHERE :queue IS NULL AND wanted.queue IS NOT NULL
)
DELETE FROM {schema}tq_job
WHERE rowid IN (
    SELECT job.rowid
    FROM wanted CROSS JOIN {schema}tq_job AS job INDEXED BY tq_job_final
    WHERE job.queue = wanted.queue AND job.state = :state
      AND job.finished_at IS NOT NULL
      AND job.finished_at <= (
        SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)
        - :older_than
    LIMIT :n)
RETURNING job_id
-- step
DELETE FROM {schema}tq_failure
WHERE job_id IN (SELECT json_extract(value, '$.job_id') FROM json_each(:picked))
