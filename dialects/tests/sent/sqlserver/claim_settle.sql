-- bound: queue text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(? AS nvarchar(256));

DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM tq_schema AS s);
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


SET XACT_ABORT OFF;
SET DEADLOCK_PRIORITY LOW;



SET LOCK_TIMEOUT 0;
WHILE @looked < 512 AND @settled < 64
BEGIN
  SET @looked = @looked + 1;
  BEGIN TRY
    
    SET @of_group = (
      SELECT TOP (1) j.group_key
      FROM tq_job AS j
        WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
      WHERE j.queue = @queue AND j.group_key > @of_group AND j.group_key IS NOT NULL
        AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1
      ORDER BY j.group_key);
    IF @of_group IS NULL
      BREAK;
    SELECT @changed = 0, @first = NULL, @first_made = NULL, @turn = NULL;
    
    SELECT TOP (1) @first = j.job_id, @first_made = j.created_at
    FROM tq_job AS j
      WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
    WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
      AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1
    ORDER BY j.created_at, j.job_id;
    SELECT TOP (1) @turn = j.job_id, @turn_made = j.created_at, @turn_state = j.state
    FROM tq_job AS j WITH (READUNCOMMITTED, INDEX (tq_job_running), FORCESEEK)
    WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
      AND j.gate = -1 AND j.finished_at IS NULL;
    IF @turn IS NOT NULL AND @turn_state = 'ready'
      AND (@first_made < @turn_made OR (@first_made = @turn_made AND @first < @turn))
    BEGIN
      
      IF @alone = 1
      BEGIN
        SET XACT_ABORT ON;
        BEGIN TRANSACTION;
      END;
      UPDATE j
      SET gate = 1
      FROM tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      WHERE j.job_id = @turn AND j.state = 'ready' AND j.gate = -1;
      IF @@ROWCOUNT = 1
      BEGIN
        UPDATE j
        SET gate = -1
        FROM tq_job AS j
          WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
        WHERE j.job_id = @first AND j.state = 'ready' AND j.gate >= 0;
        SET @changed = @@ROWCOUNT;
        IF @changed = 0
          UPDATE j
          SET gate = -1
          FROM tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
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
      FROM tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      WHERE j.job_id = @first AND j.state = 'ready' AND j.gate >= 0;
      SET @changed = @@ROWCOUNT;
      IF @changed = 1
        SET @turn = @first;
    END;
    
    
    WITH follower AS (
      SELECT TOP (16) j.gate
      FROM tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_settle), FORCESEEK)
      WHERE j.queue = @queue AND j.group_key = @of_group AND j.group_key IS NOT NULL
        AND j.state = 'ready' AND j.gate >= 0 AND j.gate <= 1 AND j.attempts < j.max_attempts
        AND EXISTS (
          SELECT 1
          FROM tq_job AS t
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
    
    
    IF @alone = 1 AND XACT_STATE() <> 0
      ROLLBACK TRANSACTION;
    SET XACT_ABORT OFF;
    IF XACT_STATE() = -1 OR ERROR_NUMBER() NOT IN (601, 1222, 2601)
      THROW;
  END CATCH;
END
