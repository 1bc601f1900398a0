-- Promise: makes up to n due open jobs of a queue running, and gives them back in the order priority
-- descending, run_at, job_id. Nothing from a paused queue. Never waits for a job's row.
-- Locks: of each job that it takes the entry of tq_job_claim, then the row: U while it is looked for, X
-- once it is changed, until the end of the transaction. What another transaction has locked, the entry
-- or the row, is passed over. Two claims at once therefore take different jobs; a finish or a cancel
-- that has the row is passed over, one that comes later waits for this short transaction.
--   https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- Index: tq_job_claim, entered with exact bounds for each priority that has a due job, so neither the
-- backlog, nor finished jobs, nor jobs of high priority that are not due yet make it slower.
-- Groups: only the job whose turn it is is taken (gate -1). The unique index tq_job_running has seen to
-- that when it was opened, so no head is looked up here: a look that passes over locked rows would take
-- the second of a group for the first, and any other would wait. Only whether an earlier job was
-- committed since, and not compared with the group yet, is asked; then the group has to wait for settle.
-- parameters: queue text, worker text, n int64, lease int64
-- columns: job_id text, kind text, payload text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, lease_until int64, unique_key text, group_key text
SET NOCOUNT ON;
-- Text that may be long is ntext by some ODBC drivers: it can be converted, and not assigned.
--   https://learn.microsoft.com/en-us/sql/t-sql/data-types/ntext-text-and-image-transact-sql
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
DECLARE @worker nvarchar(256) = CAST(:worker AS nvarchar(256));
DECLARE @n bigint = :n;
DECLARE @left bigint = @n;
DECLARE @lease bigint = :lease;
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
-- A caller's snapshot transaction begins as one by this read, so it can go back to that level; the
-- level set here ends with this batch, which has parameters and so is one of sp_executesql. Neither a
-- pooled connection's level nor READ_COMMITTED_SNAPSHOT decides how the jobs are read.
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-statements-transact-sql
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
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
  -- Of its own a claim is one transaction, which no error and no cancelled statement leaves open.
  --   https://learn.microsoft.com/en-us/sql/t-sql/statements/set-xact-abort-transact-sql
  IF @alone = 1
  BEGIN
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
  END;
  IF EXISTS (SELECT 1 FROM {schema}tq_queue AS q WHERE q.queue = @queue AND q.paused_at IS NOT NULL)
    SET @left = 0;
  -- That may have waited for whoever writes a pause; from here on nothing is waited for.
  SET @now = SYSUTCDATETIME();
  SET @lease_until = DATEADD(MICROSECOND, CAST(@lease % 60000000 AS int),
    DATEADD(MINUTE, CAST(@lease / 60000000 AS int), @now));
  WHILE @left > 0
  BEGIN
    -- The next priority that has a due job which nobody holds.
    SET @priority = (
      SELECT TOP (1) p.priority
      FROM (VALUES (10), (9), (8), (7), (6), (5), (4), (3), (2), (1), (0), (-1), (-2), (-3), (-4),
                   (-5), (-6), (-7), (-8), (-9), (-10)) AS p (priority)
      WHERE p.priority < @priority
        AND (
          SELECT TOP (1) j.run_at
          FROM {schema}tq_job AS j
            WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_claim), FORCESEEK)
          WHERE j.queue = @queue AND j.priority = p.priority AND j.state = 'ready' AND j.gate <= 0
          ORDER BY j.run_at) <= @now
      ORDER BY p.priority DESC);
    IF @priority IS NULL
      BREAK;
    -- What stands in no index is looked at on the row itself, once it is locked, and before TOP
    -- counts it: with an entry alone the update would wait for its row. Planned for one row, nothing
    -- is read, and so locked, ahead of what is taken.
    --   https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-query
    WITH picked AS (
      SELECT TOP (@left)
        j.job_id, j.kind, j.payload, j.priority, j.run_at, j.created_at, j.attempts,
        j.max_attempts, j.lease_until, j.unique_key, j.group_key, j.state, j.worker_id,
        j.last_outcome, j.gate
      FROM {schema}tq_job AS j
        WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_claim), FORCESEEK)
      WHERE j.queue = @queue AND j.priority = @priority AND j.state = 'ready' AND j.gate <= 0
        AND j.run_at <= @now
        AND j.attempts < j.max_attempts
        AND (
          j.group_key IS NULL
          OR (j.gate = -1 AND NOT EXISTS (
            SELECT 1
            FROM {schema}tq_job AS u
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
-- OUTPUT gives no order.
--   https://learn.microsoft.com/en-us/sql/t-sql/queries/output-clause-transact-sql
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
