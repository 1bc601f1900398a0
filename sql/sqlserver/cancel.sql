-- Promise: makes ready jobs cancelled and asks running ones to stop; says of each which it was. The
-- group of a cancelled job goes on.
-- Locks: the jobs' rows in the order of job_id, waiting for them, then the next job of each group whose
-- turn ended, likewise, until the end of the transaction.
-- Two sessions at once: a claim passes over a row that is locked here; one that has it is waited for,
-- and the job is then asked to stop. A finish that wants to open what is cancelled here waits, and then
-- opens the next one.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- parameters: jobs text
-- columns: ord int64, outcome text
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(:jobs AS nvarchar(max));
-- See claim_pick.sql.
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
DECLARE @now datetime2(6);
DECLARE @given TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  ord bigint NOT NULL
);
DECLARE @locked TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  state varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
  gate smallint NOT NULL,
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
DECLARE @ended TABLE (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  next_id binary(16) NULL
);
DECLARE @opened TABLE (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL
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
  INSERT INTO @locked (job_id, state, gate, queue, group_key)
  SELECT j.job_id, j.state, j.gate, j.queue, j.group_key
  FROM @given AS g
  INNER JOIN {schema}tq_job AS j
    WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = g.job_id
  ORDER BY g.job_id
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  SET @now = SYSUTCDATETIME();
  UPDATE j
  SET
    state = CASE WHEN j.state = 'ready' THEN 'cancelled' ELSE j.state END,
    finished_at = CASE WHEN j.state = 'ready' THEN @now END,
    cancel_requested_at = CASE WHEN j.state = 'running' THEN COALESCE(j.cancel_requested_at, @now)
    END
  FROM @locked AS l
  INNER JOIN {schema}tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = l.job_id
  WHERE j.state IN ('ready', 'running')
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  -- As in finish.sql.
  INSERT INTO @ended (queue, group_key)
  SELECT l.queue, l.group_key
  FROM @locked AS l
  WHERE l.state = 'ready' AND l.gate = -1 AND l.group_key IS NOT NULL;
  WHILE EXISTS (SELECT 1 FROM @ended)
  BEGIN
    UPDATE e
    SET next_id = (
      SELECT TOP (1) n.job_id
      FROM {schema}tq_job AS n
        WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_group), FORCESEEK)
      WHERE n.queue = e.queue AND n.group_key = e.group_key AND n.group_key IS NOT NULL
        AND n.gate = 2 AND n.finished_at IS NULL
      ORDER BY n.created_at, n.job_id)
    FROM @ended AS e;
    DELETE FROM @ended WHERE next_id IS NULL;
    UPDATE j
    SET gate = -1
    OUTPUT inserted.queue, inserted.group_key INTO @opened
    FROM (SELECT TOP (1000) e.next_id FROM @ended AS e ORDER BY e.next_id) AS g
    INNER JOIN {schema}tq_job AS j
      WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.next_id
    WHERE j.state = 'ready' AND j.gate = 2
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    DELETE e
    FROM @ended AS e
    INNER JOIN @opened AS o ON o.queue = e.queue AND o.group_key = e.group_key;
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
  g.ord,
  CASE
    WHEN l.state IS NULL THEN 'gone'
    WHEN l.state = 'running' THEN 'requested'
    WHEN l.state = 'ready' THEN 'cancelled'
    ELSE 'finished'
  END AS outcome
FROM @given AS g
LEFT JOIN @locked AS l ON l.job_id = g.job_id
ORDER BY g.ord
