-- Promise: the priorities that have a due open job, highest first.
-- Locks: none of its own; in the transaction of a claim the write lock is held already.
-- parameters: queue text
-- columns: priority int64
--
-- One look-up in the claim index for each of the 21 levels. ORDER BY and LIMIT stop at the first
-- entry; min() or DISTINCT would be planned as a walk over a whole level.
-- https://www.sqlite.org/queryplanner.html
WITH level(priority) AS (
  VALUES (10), (9), (8), (7), (6), (5), (4), (3), (2), (1), (0),
         (-1), (-2), (-3), (-4), (-5), (-6), (-7), (-8), (-9), (-10)
)
SELECT level.priority FROM level
WHERE (SELECT job.run_at FROM {schema}tq_job AS job INDEXED BY tq_job_claim
       WHERE job.queue = :queue AND job.state = 'ready' AND job.gate = 0
         AND job.priority = level.priority
       ORDER BY job.run_at LIMIT 1)
      <= (SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)
ORDER BY level.priority DESC
