-- bound: jobs text, extra_attempts int64
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(? AS nvarchar(max));
DECLARE @extra_attempts bigint = ?;

DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM tq_schema AS s);
DECLARE @now datetime2(6);
DECLARE @given TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  ord bigint NOT NULL
);
DECLARE @locked TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  state varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  unique_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
DECLARE @judged TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  ord bigint NOT NULL,
  outcome varchar(8) COLLATE Latin1_General_100_BIN2 NOT NULL,
  holder binary(16) NULL
);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
BEGIN TRY
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  INSERT INTO @given (job_id, ord)
  SELECT CONVERT(binary(16), REPLACE(p.job_id, '-', ''), 2), p.ord
  FROM OPENJSON(@jobs) WITH (
    ord bigint '$.ord',
    job_id char(36) '$.job_id') AS p;
  INSERT INTO @locked (job_id, state, queue, unique_key)
  SELECT j.job_id, j.state, j.queue, j.unique_key
  FROM @given AS g
  INNER JOIN tq_job AS j
    WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = g.job_id
  ORDER BY g.job_id
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  SET @now = SYSUTCDATETIME();
  INSERT INTO @judged (job_id, ord, outcome, holder)
  SELECT
    d.job_id,
    d.ord,
    CASE
      WHEN d.state IS NULL THEN 'gone'
      WHEN d.state <> 'dead' THEN 'not_dead'
      WHEN d.holder <> d.job_id THEN 'held'
      ELSE 'requeued'
    END,
    d.holder
  FROM (
    SELECT
      s.job_id, s.ord, s.state,
      COALESCE(
        s.holder,
        
        CASE WHEN s.unique_key IS NOT NULL THEN
          FIRST_VALUE(s.job_id) OVER (
            PARTITION BY s.queue, s.unique_key, s.state, s.holder ORDER BY s.ord)
        END,
        s.job_id) AS holder
    FROM (
      SELECT
        g.job_id, g.ord, l.state, l.queue, l.unique_key,
        (SELECT h.job_id
         FROM tq_job AS h
           WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_unique), FORCESEEK)
         WHERE h.queue = l.queue AND h.unique_key = l.unique_key AND h.unique_key IS NOT NULL
           AND h.finished_at IS NULL) AS holder
      FROM @given AS g
      LEFT JOIN @locked AS l ON l.job_id = g.job_id
    ) AS s
  ) AS d
  OPTION (LOOP JOIN, MAXDOP 1);
  UPDATE j
  SET
    state = 'ready',
    max_attempts = j.attempts + CAST(@extra_attempts AS int),
    run_at = @now,
    finished_at = NULL,
    cancel_requested_at = NULL,
    
    gate = CASE WHEN j.group_key IS NULL THEN 0 ELSE 1 END
  FROM @judged AS d
  INNER JOIN tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = d.job_id
  WHERE d.outcome = 'requeued' AND j.state = 'dead'
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
  d.ord,
  d.outcome,
  CASE WHEN d.outcome = 'held' THEN
    STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), d.holder, 2)),
      21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-')
  END AS holder
FROM @judged AS d
ORDER BY d.ord
