-- Promise: stores the given jobs with one created_at, and gives the ids of those that were stored. A
-- job whose id is taken or whose unique key an active job holds is left out; the transaction goes on,
-- also under a caller's XACT_ABORT ON, and whatever the caller's isolation level.
-- Locks: the new rows and their entries, X, until the end of the transaction. Jobs that can be refused
-- are stored one by one, in the order of their keys. A producer who refuses one keeps no lock of the
-- job that stood in its way.
-- Two sessions with one key at once: the second finds the first one's entry locked and waits. If the
-- first commits, it finds the job and stores nothing; if it rolls back, it inserts. Of two that both
-- found nothing the slower waits at the unique index, and is refused there; the statement alone is
-- undone, since XACT_ABORT is off within this batch, and it is left out all the same.
-- Why not (UPDLOCK, HOLDLOCK): where the key is free that locks the next one too, so whoever ends the
-- job with that key would wait for as long as the producer's transaction lasts.
--   https://learn.microsoft.com/en-us/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-xact-abort-transact-sql
--   https://learn.microsoft.com/en-us/sql/t-sql/language-elements/try-catch-transact-sql
-- Groups: a job of one is stored as not compared with it yet, so no sibling is looked at.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/openjson-transact-sql
-- parameters: jobs text, created_at int64
-- columns: job_id text, created_at int64
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(:jobs AS nvarchar(max));
DECLARE @created_at bigint = :created_at;
-- See claim_pick.sql.
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
-- DATEADD takes an int: minutes and the rest apart.
--   https://learn.microsoft.com/en-us/sql/t-sql/functions/dateadd-transact-sql
DECLARE @now datetime2(6) = COALESCE(
  DATEADD(MICROSECOND, CAST(@created_at % 60000000 AS int),
    DATEADD(MINUTE, CAST(@created_at / 60000000 AS int), CAST('1970-01-01' AS datetime2(6)))),
  SYSUTCDATETIME());
DECLARE @nth int = 0;
DECLARE @last int;
DECLARE @given TABLE (
  nth int NOT NULL PRIMARY KEY,
  job_id binary(16) NOT NULL,
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  kind nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  payload nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
  priority smallint NULL,
  run_at datetime2(6) NOT NULL,
  max_attempts int NULL,
  unique_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
DECLARE @stored TABLE (job_id binary(16) NOT NULL PRIMARY KEY);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
BEGIN TRY
  SET XACT_ABORT OFF;
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  INSERT INTO @given (nth, job_id, queue, kind, payload, priority, run_at, max_attempts, unique_key,
    group_key)
  SELECT
    -- Those without a key come first: nulls do.
    ROW_NUMBER() OVER (
      ORDER BY CASE WHEN p.unique_key IS NULL THEN 0 ELSE 1 END,
        p.queue COLLATE Latin1_General_100_BIN2, p.unique_key COLLATE Latin1_General_100_BIN2,
        p.ord),
    CONVERT(binary(16), REPLACE(p.job_id, '-', ''), 2), p.queue, p.kind, p.payload, p.priority,
    CASE
      WHEN p.run_at IS NOT NULL
        THEN DATEADD(MICROSECOND, CAST(p.run_at % 60000000 AS int),
          DATEADD(MINUTE, CAST(p.run_at / 60000000 AS int), CAST('1970-01-01' AS datetime2(6))))
      ELSE DATEADD(MICROSECOND, CAST(COALESCE(p.delay, 0) % 60000000 AS int),
        DATEADD(MINUTE, CAST(COALESCE(p.delay, 0) / 60000000 AS int), @now))
    END,
    p.max_attempts, p.unique_key, p.group_key
  FROM OPENJSON(@jobs) WITH (
    ord bigint '$.ord',
    job_id char(36) '$.job_id',
    queue nvarchar(256) '$.queue',
    kind nvarchar(256) '$.kind',
    payload nvarchar(max) '$.payload',
    priority smallint '$.priority',
    delay bigint '$.delay',
    run_at bigint '$.run_at',
    max_attempts int '$.max_attempts',
    unique_key nvarchar(256) '$.unique_key',
    group_key nvarchar(256) '$.group_key') AS p;
  SET @last = @@ROWCOUNT;
  -- All that have no key in one statement. Should an id be taken, which the library makes itself
  -- unless told otherwise, they too are stored one by one.
  IF NOT EXISTS (
    SELECT 1
    FROM @given AS g
    INNER JOIN {schema}tq_job AS j
      WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.job_id
    WHERE g.unique_key IS NULL)
  BEGIN
    BEGIN TRY
      INSERT INTO {schema}tq_job (job_id, queue, kind, payload, priority, run_at, created_at,
        max_attempts, group_key, gate)
      OUTPUT inserted.job_id INTO @stored
      SELECT g.job_id, g.queue, g.kind, g.payload, g.priority, g.run_at, @now, g.max_attempts,
        g.group_key, CASE WHEN g.group_key IS NULL THEN 0 ELSE 1 END
      FROM @given AS g
      WHERE g.unique_key IS NULL;
      SET @nth = (SELECT COUNT(*) FROM @stored AS s);
    END TRY
    BEGIN CATCH
      IF XACT_STATE() <> 1 OR ERROR_NUMBER() NOT IN (2601, 2627)
        THROW;
      DELETE FROM @stored;
    END CATCH;
  END;
  WHILE @nth < @last
  BEGIN
    SET @nth = @nth + 1;
    BEGIN TRY
      INSERT INTO {schema}tq_job (job_id, queue, kind, payload, priority, run_at, created_at,
        max_attempts, unique_key, group_key, gate)
      SELECT g.job_id, g.queue, g.kind, g.payload, g.priority, g.run_at, @now, g.max_attempts,
        g.unique_key, g.group_key, CASE WHEN g.group_key IS NULL THEN 0 ELSE 1 END
      FROM @given AS g
      WHERE g.nth = @nth
        AND NOT EXISTS (
          SELECT 1
          FROM {schema}tq_job AS i
            WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
          WHERE i.job_id = g.job_id)
        AND NOT EXISTS (
          SELECT 1
          FROM {schema}tq_job AS u
            WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_unique), FORCESEEK)
          WHERE u.queue = g.queue AND u.unique_key = g.unique_key AND u.unique_key IS NOT NULL
            AND u.finished_at IS NULL)
      OPTION (LOOP JOIN, MAXDOP 1);
      IF @@ROWCOUNT = 1
        INSERT INTO @stored (job_id)
        SELECT g.job_id FROM @given AS g WHERE g.nth = @nth;
    END TRY
    BEGIN CATCH
      IF XACT_STATE() <> 1 OR ERROR_NUMBER() NOT IN (2601, 2627)
        THROW;
    END CATCH;
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
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), s.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', @now) AS created_at
FROM @stored AS s
