-- Promise: one row a queue, by name: the one given or all, if it has a job or is paused. Ready and
-- running jobs are counted all, each final state up to cap.
-- Locks: none.
-- Index: the queues by a step from one to the next in tq_job_final, ready jobs by tq_job_claim alone
-- and blocked ones by tq_job_group, running ones by tq_job_lease, final ones by tq_job_final.
-- https://dev.mysql.com/doc/refman/en/group-by-optimization.html
-- parameters: queue text, cap int64
-- columns: queue text, paused int64, ready int64, due int64, blocked int64, retrying int64, oldest_due int64, running int64, expired int64, succeeded int64, dead int64, cancelled int64, moved int64
WITH open_job AS (
  SELECT
    j.claim_q AS queue,
    COUNT(*) AS ready,
    COUNT(CASE WHEN j.run_at <= UTC_TIMESTAMP(6) THEN 1 END) AS due,
    COUNT(CASE WHEN j.attempts > 0 THEN 1 END) AS retrying,
    MIN(j.run_at) AS oldest
  FROM {schema}tq_job AS j FORCE INDEX (tq_job_claim)
  WHERE j.claim_q >= COALESCE(CONVERT(:queue USING utf8mb4), '')
    AND (:queue IS NULL OR j.claim_q = :queue)
  GROUP BY j.claim_q
), blocked_job AS (
  SELECT
    j.active_q AS queue,
    COUNT(*) AS ready,
    COUNT(CASE WHEN j.run_at <= UTC_TIMESTAMP(6) THEN 1 END) AS due,
    COUNT(CASE WHEN j.attempts > 0 THEN 1 END) AS retrying,
    MIN(j.run_at) AS oldest
  FROM {schema}tq_job AS j FORCE INDEX (tq_job_group)
  WHERE j.active_q >= COALESCE(CONVERT(:queue USING utf8mb4), '')
    AND (:queue IS NULL OR j.active_q = :queue)
    AND j.group_key IS NOT NULL AND j.state = 'ready' AND j.gate <> 0
  GROUP BY j.active_q
), running_job AS (
  SELECT
    j.queue,
    COUNT(*) AS running,
    COUNT(CASE WHEN j.lease_until <= UTC_TIMESTAMP(6) THEN 1 END) AS expired
  FROM {schema}tq_job AS j FORCE INDEX (tq_job_lease)
  WHERE j.lease_until >= '1970-01-01'
  GROUP BY j.queue
), shown AS (
  SELECT d.queue
  FROM (SELECT DISTINCT j.queue FROM {schema}tq_job AS j FORCE INDEX (tq_job_final)) AS d
  UNION
  SELECT p.queue FROM {schema}tq_queue AS p WHERE p.paused_at IS NOT NULL
)
SELECT
  q.queue,
  CASE WHEN p.paused_at IS NULL THEN 0 ELSE 1 END AS paused,
  COALESCE(a.ready, 0) + COALESCE(b.ready, 0) AS ready,
  COALESCE(a.due, 0) + COALESCE(b.due, 0) AS due,
  COALESCE(b.ready, 0) AS blocked,
  COALESCE(a.retrying, 0) + COALESCE(b.retrying, 0) AS retrying,
  GREATEST(0, TIMESTAMPDIFF(
    MICROSECOND,
    LEAST(COALESCE(a.oldest, UTC_TIMESTAMP(6)), COALESCE(b.oldest, UTC_TIMESTAMP(6))),
    UTC_TIMESTAMP(6))) AS oldest_due,
  COALESCE(r.running, 0) AS running,
  COALESCE(r.expired, 0) AS expired,
  CASE
    WHEN (SELECT f.finished_at FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'succeeded'
          ORDER BY f.queue, f.finished_at LIMIT 1 OFFSET :cap) IS NOT NULL THEN CAST(:cap AS SIGNED)
    ELSE (SELECT COUNT(*) FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'succeeded')
  END AS succeeded,
  CASE
    WHEN (SELECT f.finished_at FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'dead'
          ORDER BY f.queue, f.finished_at LIMIT 1 OFFSET :cap) IS NOT NULL THEN CAST(:cap AS SIGNED)
    ELSE (SELECT COUNT(*) FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'dead')
  END AS dead,
  CASE
    WHEN (SELECT f.finished_at FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'cancelled'
          ORDER BY f.queue, f.finished_at LIMIT 1 OFFSET :cap) IS NOT NULL THEN CAST(:cap AS SIGNED)
    ELSE (SELECT COUNT(*) FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'cancelled')
  END AS cancelled,
  CASE
    WHEN (SELECT f.finished_at FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'moved'
          ORDER BY f.queue, f.finished_at LIMIT 1 OFFSET :cap) IS NOT NULL THEN CAST(:cap AS SIGNED)
    ELSE (SELECT COUNT(*) FROM {schema}tq_job AS f FORCE INDEX (tq_job_final)
          WHERE f.queue = q.queue AND f.final_state = 'moved')
  END AS moved
FROM shown AS q
LEFT JOIN {schema}tq_queue AS p ON p.queue = q.queue
LEFT JOIN open_job AS a ON a.queue = q.queue
LEFT JOIN blocked_job AS b ON b.queue = q.queue
LEFT JOIN running_job AS r ON r.queue = q.queue
WHERE :queue IS NULL OR q.queue = :queue
ORDER BY q.queue
