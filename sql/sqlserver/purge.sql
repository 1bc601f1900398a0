-- Promise: deletes up to n jobs of one final state that finished longer than older_than ago, with
-- their failures, the oldest first within a queue; of one queue, or of all of them.
-- Locks: those jobs' rows and entries until the end of the transaction, passing over locked ones. Two
-- purges at once delete different jobs. n stays far below what would be escalated to a table's lock,
-- which is switched off besides.
-- Index: tq_job_final, entered once for each queue. The queues are found by stepping from one to
-- the next, not by reading their jobs.
-- https://learn.microsoft.com/en-us/sql/t-sql/statements/delete-transact-sql
-- https://learn.microsoft.com/en-us/sql/t-sql/statements/set-deadlock-priority-transact-sql
-- parameters: queue text, state text, older_than int64, n int64
-- columns: job_id text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
DECLARE @state varchar(16) = CAST(:state AS nvarchar(16));
DECLARE @older_than bigint = :older_than;
DECLARE @n bigint = :n;
DECLARE @left bigint = @n;
-- See claim_pick.sql.
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
DECLARE @at nvarchar(256) = N'';
DECLARE @before datetime2(6) = DATEADD(MICROSECOND, -CAST(@older_than % 60000000 AS int),
  DATEADD(MINUTE, -CAST(@older_than / 60000000 AS int), SYSUTCDATETIME()));
DECLARE @deleted TABLE (job_id binary(16) NOT NULL PRIMARY KEY);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET DEADLOCK_PRIORITY LOW;
BEGIN TRY
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  WHILE @left > 0
  BEGIN
    SET @at = CASE
      WHEN @queue IS NULL THEN (
        SELECT TOP (1) j.queue
        FROM {schema}tq_job AS j
          WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_final), FORCESEEK)
        WHERE j.queue > @at AND j.finished_at IS NOT NULL
        ORDER BY j.queue)
      WHEN @at = N'' THEN @queue
    END;
    IF @at IS NULL
      BREAK;
    -- The row says itself that nobody owns it, so it is locked before it is counted.
    WITH purged AS (
      SELECT TOP (@left) j.job_id
      FROM {schema}tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_final), FORCESEEK)
      WHERE j.queue = @at AND j.state = @state AND j.finished_at IS NOT NULL
        AND j.finished_at < @before AND j.worker_id IS NULL
      ORDER BY j.finished_at
    )
    DELETE FROM purged
    OUTPUT deleted.job_id INTO @deleted
    OPTION (MAXDOP 1, OPTIMIZE FOR (@left = 1));
    SET @left = @n - (SELECT COUNT_BIG(*) FROM @deleted AS d);
  END;
  DELETE f
  FROM @deleted AS d
  INNER JOIN {schema}tq_failure AS f WITH (ROWLOCK, INDEX (tq_failure_pk), FORCESEEK)
    ON f.job_id = d.job_id
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
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), d.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id
FROM @deleted AS d
