-- bound: jobs text, lease int64, wait int64
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(? AS nvarchar(max));
DECLARE @lease bigint = ?;
DECLARE @wait bigint = ?;

DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM tq_schema AS s);
DECLARE @now datetime2(6);
DECLARE @lease_until datetime2(6);
DECLARE @given TABLE (
  job_id binary(16) NOT NULL,
  ord bigint NOT NULL,
  generation bigint NOT NULL,
  worker nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  outcome varchar(8) COLLATE Latin1_General_100_BIN2 NULL,
  cancel_requested bigint NULL,
  PRIMARY KEY (job_id, ord)
);
DECLARE @locked TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  state varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
  attempts int NOT NULL,
  worker_id nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  lease_until datetime2(6) NULL,
  cancel_requested_at datetime2(6) NULL
);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
BEGIN TRY
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  INSERT INTO @given (job_id, ord, generation, worker)
  SELECT CONVERT(binary(16), REPLACE(p.job_id, '-', ''), 2), p.ord, p.generation, p.worker
  FROM OPENJSON(@jobs) WITH (
    ord bigint '$.ord',
    job_id char(36) '$.job_id',
    generation bigint '$.generation',
    worker nvarchar(256) '$.worker') AS p;
  IF @wait = 1
    INSERT INTO @locked (job_id, state, attempts, worker_id, lease_until, cancel_requested_at)
    SELECT j.job_id, j.state, j.attempts, j.worker_id, j.lease_until, j.cancel_requested_at
    FROM (SELECT DISTINCT d.job_id FROM @given AS d) AS g
    INNER JOIN tq_job AS j
      WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.job_id
    ORDER BY g.job_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  ELSE
    INSERT INTO @locked (job_id, state, attempts, worker_id, lease_until, cancel_requested_at)
    SELECT j.job_id, j.state, j.attempts, j.worker_id, j.lease_until, j.cancel_requested_at
    FROM (SELECT DISTINCT d.job_id FROM @given AS d) AS g
    INNER JOIN tq_job AS j
      WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.job_id
    ORDER BY g.job_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  SET @now = SYSUTCDATETIME();
  SET @lease_until = DATEADD(MICROSECOND, CAST(@lease % 60000000 AS int),
    DATEADD(MINUTE, CAST(@lease / 60000000 AS int), @now));
  UPDATE g
  SET
    outcome = CASE
      WHEN l.job_id IS NOT NULL THEN
        CASE
          WHEN l.state = 'running' AND l.attempts = g.generation AND l.worker_id = g.worker
            AND l.lease_until > @now THEN 'done'
          ELSE 'lost'
        END
      
      WHEN @wait = 0 AND EXISTS (
        SELECT 1
        FROM tq_job AS b WITH (READUNCOMMITTED, INDEX (tq_job_pk), FORCESEEK)
        WHERE b.job_id = g.job_id) THEN 'busy'
      ELSE 'gone'
    END,
    cancel_requested = CASE WHEN l.cancel_requested_at IS NULL THEN 0 ELSE 1 END
  FROM @given AS g
  LEFT JOIN @locked AS l ON l.job_id = g.job_id
  OPTION (LOOP JOIN, MAXDOP 1);
  UPDATE j
  SET lease_until = @lease_until
  FROM (SELECT DISTINCT d.job_id FROM @given AS d WHERE d.outcome = 'done') AS g
  INNER JOIN tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = g.job_id
  WHERE j.worker_id IS NOT NULL
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  IF @alone = 1
    COMMIT TRANSACTION;
END TRY
BEGIN CATCH
  IF @alone = 1 AND XACT_STATE() <> 0
    ROLLBACK TRANSACTION;
  THROW;
END CATCH;
SELECT
  g.ord,
  g.outcome,
  CASE WHEN g.outcome = 'done' THEN DATEDIFF_BIG(MICROSECOND, '1970-01-01', @lease_until) END
    AS lease_until,
  CASE WHEN g.outcome = 'done' THEN g.cancel_requested END AS cancel_requested
FROM @given AS g
ORDER BY g.ord
