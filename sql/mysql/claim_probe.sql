-- Promise: the priorities that have a due open job, highest first.
-- Locks: none.
-- Index: tq_job_claim, one look for each of the 21 levels. ORDER BY and LIMIT end it at the first
-- entry; MIN and DISTINCT would read a whole level, and EXISTS is turned into a join. It names the
-- columns of the index that another table gives, and not those that are constant: with any other list
-- one of the two servers sorts the whole level.
-- https://dev.mysql.com/doc/refman/en/limit-optimization.html
-- parameters: queue text
-- columns: priority int64
WITH RECURSIVE level (priority) AS (
  SELECT 10
  UNION ALL
  SELECT l.priority - 1 FROM level AS l WHERE l.priority > -10
)
SELECT l.priority
FROM level AS l
WHERE (
  SELECT j.run_at FROM {schema}tq_job AS j FORCE INDEX (tq_job_claim)
  WHERE j.claim_q = :queue AND j.priority = l.priority
  ORDER BY j.priority, j.run_at LIMIT 1) <= UTC_TIMESTAMP(6)
ORDER BY l.priority DESC
