-- Promise: how many jobs of the queue became succeeded, dead or cancelled in the last span, and are
-- so still.
-- Locks: none.
-- Index: three ranges of tq_job_final; the work is that of the answer.
-- parameters: queue text, span int64
-- columns: finished int64
SELECT COUNT(*) AS finished
FROM {schema}tq_job AS j FORCE INDEX (tq_job_final)
WHERE j.queue = CONVERT(:queue USING utf8mb4) COLLATE utf8mb4_bin
  AND j.final_state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at > TIMESTAMPADD(MICROSECOND, -:span, UTC_TIMESTAMP(6))
