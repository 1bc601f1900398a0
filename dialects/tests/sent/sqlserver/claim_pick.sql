-- bound: queue text, worker text, n int64, lease int64
SET NOCOUNT ON;


DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @worker nvarchar(256) = CAST(? AS nvarchar(256));
DECLARE @n bigint = ?;
DECLARE @left bigint = @n;
DECLARE @lease bigint = ?;
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;





DECLARE @version int = (SELECT MAX(s.version) FROM tq_schema AS s);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
DECLARE @now datetime2(6);
DECLARE @lease_until datetime2(6);
DECLARE @priority int = 11;
DECLARE @claimed TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  kind nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  payload nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  priority smallint NOT NULL,
  run_at datetime2(6) NOT NULL,
  created_at datetime2(6) NOT NULL,
  attempts int NOT NULL,
  max_attempts int NOT NULL,
  lease_until datetime2(6) NOT NULL,
  unique_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
BEGIN TRY
  
  
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  IF EXISTS (SELECT 1 FROM tq_queue AS q WHERE q.queue = @queue AND q.paused_at IS NOT NULL)
    SET @left = 0;
  
  SET @now = SYSUTCDATETIME();
  SET @lease_until = DATEADD(MICROSECOND, CAST(@lease % 60000000 AS int),
    DATEADD(MINUTE, CAST(@lease / 60000000 AS int), @now));
  WHILE @left > 0
  BEGIN
    
    SET @priority = (
      SELECT TOP (1) p.priority
      FROM (VALUES (10), (9), (8), (7), (6), (5), (4), (3), (2), (1), (0), (-1), (-2), (-3), (-4),
                   (-5), (-6), (-7), (-8), (-9), (-10)) AS p (priority)
      WHERE p.priority < @priority
        AND (
          SELECT TOP (1) j.run_at
          FROM tq_job AS j
            WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_claim), FORCESEEK)
          WHERE j.queue = @queue AND j.priority = p.priority AND j.state = 'ready' AND j.gate <= 0
          ORDER BY j.run_at) <= @now
      ORDER BY p.priority DESC);
    IF @priority IS NULL
      BREAK;
    
    
    
    
    WITH picked AS (
      SELECT TOP (@left)
        j.job_id, j.kind, j.payload, j.priority, j.run_at, j.created_at, j.attempts,
        j.max_attempts, j.lease_until, j.unique_key, j.group_key, j.state, j.worker_id,
        j.last_outcome, j.gate
      FROM tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_claim), FORCESEEK)
      WHERE j.queue = @queue AND j.priority = @priority AND j.state = 'ready' AND j.gate <= 0
        AND j.run_at <= @now
        AND j.attempts < j.max_attempts
        AND (
          j.group_key IS NULL
          OR (j.gate = -1 AND NOT EXISTS (
            SELECT 1
            FROM tq_job AS u
              WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
            WHERE u.queue = @queue AND u.group_key = j.group_key AND u.group_key IS NOT NULL
              AND u.state = 'ready' AND u.gate >= 0 AND u.gate <= 1
              AND (u.created_at < j.created_at
                OR (u.created_at = j.created_at AND u.job_id < j.job_id)))))
      ORDER BY j.run_at, j.job_id
    )
    UPDATE picked
    SET
      state = 'running',
      attempts = picked.attempts + 1,
      worker_id = @worker,
      lease_until = @lease_until,
      last_outcome = NULL
    OUTPUT
      inserted.job_id, inserted.kind, inserted.payload, inserted.priority, inserted.run_at,
      inserted.created_at, inserted.attempts, inserted.max_attempts, inserted.lease_until,
      inserted.unique_key, inserted.group_key
    INTO @claimed
    WHERE picked.state = 'ready'
    OPTION (LOOP JOIN, MAXDOP 1, OPTIMIZE FOR (@left = 1));
    SET @left = @n - (SELECT COUNT_BIG(*) FROM @claimed AS c);
  END;
  IF @alone = 1
    COMMIT TRANSACTION;
END TRY
BEGIN CATCH
  IF @alone = 1 AND XACT_STATE() <> 0
    ROLLBACK TRANSACTION;
  THROW;
END CATCH;


SELECT
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), c.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id,
  c.kind,
  c.payload,
  CAST(c.priority AS bigint) AS priority,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', c.run_at) AS run_at,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', c.created_at) AS created_at,
  CAST(c.attempts AS bigint) AS attempts,
  CAST(c.max_attempts AS bigint) AS max_attempts,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', c.lease_until) AS lease_until,
  c.unique_key,
  c.group_key
FROM @claimed AS c
ORDER BY c.priority DESC, c.run_at, c.job_id
