-- Promise: one row a queue, by name: the one given or all, if it has a job or is paused. Ready
-- and running jobs are counted all, each final state up to cap.
-- Locks: none.
-- Index: queues are found by stepping from one to the next in three indexes; ready jobs by
-- tq_job_claim and tq_job_group, running ones by tq_job_lease, final ones by tq_job_final.
-- https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-RECURSIVE
-- parameters: queue text, cap int64
-- columns: queue text, paused int64, ready int64, due int64, blocked int64, retrying int64, oldest_due int64, running int64, expired int64, succeeded int64, dead int64, cancelled int64, moved int64
WITH RECURSIVE open (queue) AS (
  (SELECT j.queue FROM {schema}tq_job AS j
   WHERE j.state = 'ready' AND j.gate = 0 AND j.queue >= COALESCE(:queue, '')
   ORDER BY j.queue LIMIT 1)
  UNION ALL
  SELECT
    (SELECT j.queue FROM {schema}tq_job AS j
     WHERE j.state = 'ready' AND j.gate = 0 AND j.queue > o.queue ORDER BY j.queue LIMIT 1)
  FROM open AS o
  WHERE o.queue IS NOT NULL AND CAST(:queue AS text) IS NULL
), grouped (queue) AS (
  (SELECT j.queue FROM {schema}tq_job AS j
   WHERE j.group_key IS NOT NULL AND j.state IN ('ready', 'running')
     AND j.queue >= COALESCE(:queue, '')
   ORDER BY j.queue LIMIT 1)
  UNION ALL
  SELECT
    (SELECT j.queue FROM {schema}tq_job AS j
     WHERE j.group_key IS NOT NULL AND j.state IN ('ready', 'running') AND j.queue > g.queue
     ORDER BY j.queue LIMIT 1)
  FROM grouped AS g
  WHERE g.queue IS NOT NULL AND CAST(:queue AS text) IS NULL
), final (queue) AS (
  (SELECT j.queue FROM {schema}tq_job AS j
   WHERE j.finished_at IS NOT NULL AND j.queue >= COALESCE(:queue, '')
   ORDER BY j.queue LIMIT 1)
  UNION ALL
  SELECT
    (SELECT j.queue FROM {schema}tq_job AS j
     WHERE j.finished_at IS NOT NULL AND j.queue > f.queue ORDER BY j.queue LIMIT 1)
  FROM final AS f
  WHERE f.queue IS NOT NULL AND CAST(:queue AS text) IS NULL
), moment AS MATERIALIZED (
  SELECT clock_timestamp() AS at
), running AS MATERIALIZED (
  SELECT j.queue, count(*) AS total, count(*) FILTER (WHERE j.lease_until <= m.at) AS expired
  FROM {schema}tq_job AS j CROSS JOIN moment AS m
  WHERE j.state = 'running'
  GROUP BY j.queue
), queues AS MATERIALIZED (
  SELECT o.queue FROM open AS o WHERE o.queue IS NOT NULL
  UNION SELECT g.queue FROM grouped AS g WHERE g.queue IS NOT NULL
  UNION SELECT f.queue FROM final AS f WHERE f.queue IS NOT NULL
  UNION SELECT r.queue FROM running AS r
  UNION SELECT p.queue FROM {schema}tq_queue AS p
    WHERE p.paused_at IS NOT NULL AND (CAST(:queue AS text) IS NULL OR p.queue = :queue)
)
SELECT
  q.queue,
  CAST(CASE WHEN p.paused_at IS NULL THEN 0 ELSE 1 END AS bigint) AS paused,
  a.ready + b.ready AS ready,
  a.due + b.due AS due,
  b.ready AS blocked,
  a.retrying + b.retrying AS retrying,
  CAST(COALESCE(EXTRACT(EPOCH FROM m.at - LEAST(a.oldest, b.oldest)), 0) * 1000000 AS bigint)
    AS oldest_due,
  COALESCE(r.total, 0) AS running,
  COALESCE(r.expired, 0) AS expired,
  f.succeeded,
  f.dead,
  f.cancelled,
  f.moved
FROM queues AS q
CROSS JOIN moment AS m
LEFT JOIN {schema}tq_queue AS p ON p.queue = q.queue
LEFT JOIN running AS r ON r.queue = q.queue
-- Open and blocked jobs apart: no index holds both.
CROSS JOIN LATERAL (
  SELECT
    count(*) AS ready,
    count(*) FILTER (WHERE j.run_at <= m.at) AS due,
    count(*) FILTER (WHERE j.attempts > 0) AS retrying,
    min(j.run_at) FILTER (WHERE j.run_at <= m.at) AS oldest
  FROM {schema}tq_job AS j
  WHERE j.queue = q.queue AND j.state = 'ready' AND j.gate = 0
) AS a
CROSS JOIN LATERAL (
  SELECT
    count(*) AS ready,
    count(*) FILTER (WHERE j.run_at <= m.at) AS due,
    count(*) FILTER (WHERE j.attempts > 0) AS retrying,
    min(j.run_at) FILTER (WHERE j.run_at <= m.at) AS oldest
  FROM {schema}tq_job AS j
  WHERE j.queue = q.queue AND j.group_key IS NOT NULL AND j.state IN ('ready', 'running')
    AND j.state = 'ready' AND j.gate <> 0
) AS b
CROSS JOIN LATERAL (
  SELECT
    max(n.total) FILTER (WHERE n.state = 'succeeded') AS succeeded,
    max(n.total) FILTER (WHERE n.state = 'dead') AS dead,
    max(n.total) FILTER (WHERE n.state = 'cancelled') AS cancelled,
    max(n.total) FILTER (WHERE n.state = 'moved') AS moved
  FROM (
    SELECT s.state, (
      SELECT count(*) FROM (
        SELECT 1 FROM {schema}tq_job AS j
        WHERE j.queue = q.queue AND j.state = s.state AND j.finished_at IS NOT NULL
        -- The order is that of the index, so that the scan ends at the limit.
        ORDER BY j.finished_at
        LIMIT :cap
      ) AS c
    ) AS total
    FROM (VALUES ('succeeded'), ('dead'), ('cancelled'), ('moved')) AS s (state)
  ) AS n
) AS f
WHERE CAST(:queue AS text) IS NULL OR q.queue = :queue
ORDER BY q.queue
