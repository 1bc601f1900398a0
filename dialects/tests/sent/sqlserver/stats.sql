-- bound: queue text, cap int64
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @cap bigint = ?;
DECLARE @now datetime2(6) = SYSUTCDATETIME();
DECLARE @at nvarchar(256) = N'';
DECLARE @queues TABLE (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY
);
DECLARE @running TABLE (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  total bigint NOT NULL,
  expired bigint NOT NULL
);
INSERT INTO @running (queue, total, expired)
SELECT j.queue, COUNT_BIG(*), COUNT_BIG(CASE WHEN j.lease_until <= @now THEN 1 END)
FROM tq_job AS j WITH (INDEX (tq_job_lease))
WHERE j.state = 'running'
GROUP BY j.queue;
WHILE @at IS NOT NULL
BEGIN
  SET @at = (
    SELECT MIN(f.queue)
    FROM (
      SELECT (
        SELECT TOP (1) j.queue
        FROM tq_job AS j WITH (INDEX (tq_job_claim), FORCESEEK)
        WHERE j.queue > @at AND j.state = 'ready' AND j.gate <= 0
        ORDER BY j.queue) AS queue
      UNION ALL
      SELECT (
        SELECT TOP (1) j.queue
        FROM tq_job AS j WITH (INDEX (tq_job_settle), FORCESEEK)
        WHERE j.queue > @at AND j.group_key IS NOT NULL AND j.state = 'ready' AND j.gate >= 0
          AND j.gate <= 1
        ORDER BY j.queue)
      UNION ALL
      SELECT (
        SELECT TOP (1) j.queue
        FROM tq_job AS j WITH (INDEX (tq_job_group), FORCESEEK)
        WHERE j.queue > @at AND j.group_key IS NOT NULL AND j.gate = 2 AND j.finished_at IS NULL
        ORDER BY j.queue)
      UNION ALL
      SELECT (
        SELECT TOP (1) j.queue
        FROM tq_job AS j WITH (INDEX (tq_job_final), FORCESEEK)
        WHERE j.queue > @at AND j.finished_at IS NOT NULL
        ORDER BY j.queue)
      UNION ALL
      SELECT (
        SELECT TOP (1) q.queue
        FROM tq_queue AS q
        WHERE q.queue > @at AND q.paused_at IS NOT NULL
        ORDER BY q.queue)
      UNION ALL
      SELECT (SELECT MIN(r.queue) FROM @running AS r WHERE r.queue > @at)
    ) AS f);
  IF @at IS NOT NULL
    INSERT INTO @queues (queue) VALUES (@at);
END;
SELECT
  q.queue,
  CAST(CASE WHEN p.paused_at IS NULL THEN 0 ELSE 1 END AS bigint) AS paused,
  a.ready + b.ready AS ready,
  a.due + b.due AS due,
  w.jobs + u.jobs AS blocked,
  a.retrying + b.retrying AS retrying,
  COALESCE(DATEDIFF_BIG(MICROSECOND,
    CASE WHEN b.oldest IS NULL OR a.oldest <= b.oldest THEN a.oldest ELSE b.oldest END, @now), 0)
    AS oldest_due,
  COALESCE(r.total, 0) AS running,
  COALESCE(r.expired, 0) AS expired,
  f.succeeded,
  f.dead,
  f.cancelled,
  f.moved
FROM @queues AS q
LEFT JOIN tq_queue AS p ON p.queue = q.queue
LEFT JOIN @running AS r ON r.queue = q.queue
CROSS APPLY (
  SELECT
    COUNT_BIG(*) AS ready,
    COUNT_BIG(CASE WHEN j.run_at <= @now THEN 1 END) AS due,
    COUNT_BIG(CASE WHEN j.attempts > 0 THEN 1 END) AS retrying,
    MIN(CASE WHEN j.run_at <= @now THEN j.run_at END) AS oldest
  FROM tq_job AS j WITH (INDEX (tq_job_claim), FORCESEEK)
  WHERE j.queue = q.queue AND j.state = 'ready' AND j.gate <= 0
) AS a


CROSS APPLY (
  SELECT
    COUNT_BIG(*) AS ready,
    COUNT_BIG(CASE WHEN g.run_at <= @now THEN 1 END) AS due,
    COUNT_BIG(CASE WHEN g.attempts > 0 THEN 1 END) AS retrying,
    MIN(CASE WHEN g.run_at <= @now THEN g.run_at END) AS oldest
  FROM (
    SELECT j.run_at, j.attempts
    FROM tq_job AS j WITH (INDEX (tq_job_group), FORCESEEK)
    WHERE j.queue = q.queue AND j.group_key IS NOT NULL AND j.gate = 2 AND j.finished_at IS NULL
    UNION ALL
    SELECT j.run_at, j.attempts
    FROM tq_job AS j WITH (INDEX (tq_job_settle), FORCESEEK)
    WHERE j.queue = q.queue AND j.group_key IS NOT NULL AND j.state = 'ready' AND j.gate >= 0
      AND j.gate <= 1 AND j.gate = 1
  ) AS g
) AS b
CROSS APPLY (
  SELECT COUNT_BIG(*) AS jobs
  FROM tq_job AS j WITH (INDEX (tq_job_group), FORCESEEK)
  WHERE j.queue = q.queue AND j.group_key IS NOT NULL AND j.gate = 2 AND j.finished_at IS NULL
) AS w
CROSS APPLY (
  SELECT COUNT_BIG(CASE WHEN g.nth > 1 OR g.turn = 1 THEN 1 END) AS jobs
  FROM (
    SELECT
      ROW_NUMBER() OVER (PARTITION BY j.group_key ORDER BY j.created_at, j.job_id) AS nth,
      CASE WHEN EXISTS (
        SELECT 1
        FROM tq_job AS t WITH (INDEX (tq_job_running), FORCESEEK)
        WHERE t.queue = q.queue AND t.group_key = j.group_key AND t.group_key IS NOT NULL
          AND t.gate = -1 AND t.finished_at IS NULL) THEN 1 ELSE 0 END AS turn
    FROM tq_job AS j WITH (INDEX (tq_job_settle), FORCESEEK)
    WHERE j.queue = q.queue AND j.group_key IS NOT NULL AND j.state = 'ready' AND j.gate >= 0
      AND j.gate <= 1
  ) AS g
) AS u
CROSS APPLY (
  SELECT
    MAX(CASE WHEN n.state = 'succeeded' THEN n.total END) AS succeeded,
    MAX(CASE WHEN n.state = 'dead' THEN n.total END) AS dead,
    MAX(CASE WHEN n.state = 'cancelled' THEN n.total END) AS cancelled,
    MAX(CASE WHEN n.state = 'moved' THEN n.total END) AS moved
  FROM (
    SELECT s.state, (
      SELECT COUNT_BIG(*)
      FROM (
        SELECT TOP (@cap) j.finished_at
        FROM tq_job AS j WITH (INDEX (tq_job_final), FORCESEEK)
        WHERE j.queue = q.queue AND j.state = s.state COLLATE Latin1_General_100_BIN2
          AND j.finished_at IS NOT NULL
        ORDER BY j.finished_at
      ) AS c
    ) AS total
    FROM (VALUES ('succeeded'), ('dead'), ('cancelled'), ('moved')) AS s (state)
  ) AS n
) AS f
WHERE @queue IS NULL OR q.queue = @queue
ORDER BY q.queue
