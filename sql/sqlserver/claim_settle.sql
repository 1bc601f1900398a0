-- Promise: judges up to 64 groups that have jobs which were not compared with their group yet. Where
-- no job has the turn, the first that is committed gets it; where a later one has it and does not run,
-- the first gets it instead; then up to 16 of those behind it are marked as waiting. Where anybody holds
-- what is needed, the group stays as it is until the next claim, and does not count: up to 512 groups
-- are looked at. Where nothing is unsettled, it is one look into an index.
-- Locks: one group after another, the row whose turn it is and those that wait for it. Waits for
-- nothing: locked rows are passed over, and where a change would have to wait, the group is left.
-- Of its own each group's changes are short transactions; in a caller's the locks last as long as that.
-- Why it is needed: a producer may commit a job after the one before it was finished by someone who
-- could not see it, and so opened nobody; and every job of a group is stored as not compared yet.
-- Why the lock of the row whose turn it is: while it is held nobody can finish that job, and whoever
-- does so later sees who waits. So whoever waits, waits for a job that has the turn and stands before it.
-- Two sessions at once: both may find that a group has no job whose turn it is. The unique index
-- tq_job_running lets one of them open one; the other is refused, or would wait, and leaves the group.
-- A finish in progress has deleted its entry there and holds the key, so nothing is opened beside it.
-- The turn is looked up by dirty reads, since a locking one would wait, or pass over what it looks for.
-- They are hints: whatever is found is looked at again on its locked row.
--   https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- By group and not by age: the followers of a group whose head is held for long would else stand
-- before all others.
-- parameters: queue text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
-- See claim_pick.sql.
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
DECLARE @of_group nvarchar(256) = N'';
DECLARE @looked int = 0;
DECLARE @settled int = 0;
DECLARE @changed int;
DECLARE @first binary(16);
DECLARE @first_made datetime2(6);
DECLARE @turn binary(16);
DECLARE @turn_made datetime2(6);
DECLARE @turn_state varchar(16);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
-- A refusal is caught below, and must not end the transaction of a caller.
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-xact-abort-transact-sql
SET XACT_ABORT OFF;
SET DEADLOCK_PRIORITY LOW;
-- Like the level, it ends with this batch: the manual's syntax has a number here, and no variable that
-- would set it back.
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-lock-timeout-transact-sql
SET LOCK_TIMEOUT 0;
WHILE @looked < 512 AND @settled < 64
BEGIN
  SET @looked = @looked + 1;
  BEGIN TRY
    -- A step from one group to the next, however many such jobs each has.
    SET @of_group = (
      SELECT TOP (1) j.group_key
      FROM {schema}tq_job AS j
        WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
      WHERE j.queue = @queue AND j.group_key > @of_group AND j.group_key IS NOT NULL
        AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1
      ORDER BY j.group_key);
    IF @of_group IS NULL
      BREAK;
    SELECT @changed = 0, @first = NULL, @first_made = NULL, @turn = NULL;
    -- What its producer has not committed yet is locked, and so not among these.
    SELECT TOP (1) @first = j.job_id, @first_made = j.created_at
    FROM {schema}tq_job AS j
      WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
    WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
      AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1
    ORDER BY j.created_at, j.job_id;
    SELECT TOP (1) @turn = j.job_id, @turn_made = j.created_at, @turn_state = j.state
    FROM {schema}tq_job AS j WITH (READUNCOMMITTED, INDEX (tq_job_running), FORCESEEK)
    WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
      AND j.gate = -1 AND j.finished_at IS NULL;
    IF @turn IS NOT NULL AND @turn_state = 'ready'
      AND (@first_made < @turn_made OR (@first_made = @turn_made AND @first < @turn))
    BEGIN
      -- Both changes or none: else those that wait would wait for nobody.
      IF @alone = 1
      BEGIN
        SET XACT_ABORT ON;
        BEGIN TRANSACTION;
      END;
      UPDATE j
      SET gate = 1
      FROM {schema}tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      WHERE j.job_id = @turn AND j.state = 'ready' AND j.gate = -1;
      IF @@ROWCOUNT = 1
      BEGIN
        UPDATE j
        SET gate = -1
        FROM {schema}tq_job AS j
          WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
        WHERE j.job_id = @first AND j.state = 'ready' AND j.gate >= 0;
        SET @changed = @@ROWCOUNT;
        IF @changed = 0
          UPDATE j
          SET gate = -1
          FROM {schema}tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
          WHERE j.job_id = @turn;
        ELSE
          SET @turn = @first;
      END;
      IF @alone = 1
      BEGIN
        COMMIT TRANSACTION;
        SET XACT_ABORT OFF;
      END;
    END
    ELSE IF @turn IS NULL AND @first IS NOT NULL
    BEGIN
      UPDATE j
      SET gate = -1
      FROM {schema}tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      WHERE j.job_id = @first AND j.state = 'ready' AND j.gate >= 0;
      SET @changed = @@ROWCOUNT;
      IF @changed = 1
        SET @turn = @first;
    END;
    -- Not those before it: they get the turn first, once it can be taken. max_attempts stands in no index,
    -- so the rows are looked at before they are counted, and locked ones are passed over.
    WITH follower AS (
      SELECT TOP (16) j.gate
      FROM {schema}tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
      WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
        AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1 AND j.attempts < j.max_attempts
        AND EXISTS (
          SELECT 1
          FROM {schema}tq_job AS t
            WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
          WHERE t.job_id = @turn AND t.gate = -1 AND t.finished_at IS NULL
            AND (t.created_at < j.created_at
              OR (t.created_at = j.created_at AND t.job_id < j.job_id)))
      ORDER BY j.created_at, j.job_id
    )
    UPDATE follower
    SET gate = 2
    OPTION (MAXDOP 1);
    SET @changed = @changed + @@ROWCOUNT;
    IF @changed > 0
      SET @settled = @settled + 1;
  END TRY
  BEGIN CATCH
    -- 1222: it would have to wait; 2601: another session has opened one; 601: what a dirty read was
    -- looking at has moved. The group is left as it is.
    IF @alone = 1 AND XACT_STATE() <> 0
      ROLLBACK TRANSACTION;
    SET XACT_ABORT OFF;
    IF XACT_STATE() = -1 OR ERROR_NUMBER() NOT IN (601, 1222, 2601)
      THROW;
  END CATCH;
END
