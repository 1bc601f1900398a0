-- Promise: carries out those acknowledgements that hold the lease, says of each what became of it,
-- and opens the next job of every group whose job became final.
-- Locks: the jobs' rows in the order of job_id, U and then X, and the entries that change with them,
-- until the end of the transaction. With wait = 1 the rows are waited for; with wait = 0 a row that
-- another transaction holds is answered busy. Then the next job of each group, waiting for it; only
-- who cancels that one can hold it.
-- Two sessions at once: of a worker's acknowledgement and the reaper one has the row first; the other
-- judges it as it is afterwards. A claim waits for no row, so there is no ring with it. An entry of
-- tq_job_lease or tq_job_claim may be held for a moment by a reaper or a claim that passed over the row.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/sysutcdatetime-transact-sql
-- parameters: jobs text, wait int64
-- columns: ord int64, outcome text
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(:jobs AS nvarchar(max));
DECLARE @wait bigint = :wait;
-- See claim_pick.sql.
DECLARE @alone bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
DECLARE @now datetime2(6);
DECLARE @given TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  ord bigint NOT NULL,
  generation bigint NOT NULL,
  worker nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  verb varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
  delay bigint NULL,
  error nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL
);
DECLARE @locked TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  state varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
  attempts int NOT NULL,
  max_attempts int NOT NULL,
  worker_id nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  lease_until datetime2(6) NULL,
  last_worker nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  last_outcome varchar(16) COLLATE Latin1_General_100_BIN2 NULL,
  cancel_requested_at datetime2(6) NULL,
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
DECLARE @judged TABLE (
  job_id binary(16) NOT NULL PRIMARY KEY,
  ord bigint NOT NULL,
  outcome varchar(8) COLLATE Latin1_General_100_BIN2 NOT NULL,
  becomes varchar(16) COLLATE Latin1_General_100_BIN2 NULL,
  error nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
  run_at datetime2(6) NULL
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
  INSERT INTO @given (job_id, ord, generation, worker, verb, delay, error)
  SELECT
    CONVERT(binary(16), REPLACE(p.job_id, '-', ''), 2), p.ord, p.generation, p.worker, p.verb,
    p.delay, p.error
  FROM OPENJSON(@jobs) WITH (
    ord bigint '$.ord',
    job_id char(36) '$.job_id',
    generation bigint '$.generation',
    worker nvarchar(256) '$.worker',
    verb varchar(16) '$.verb',
    delay bigint '$.delay',
    error nvarchar(max) '$.error') AS p;
  -- The wait is a statement of its own, so that the clock is read after it.
  IF @wait = 1
    INSERT INTO @locked (job_id, state, attempts, max_attempts, worker_id, lease_until, last_worker,
      last_outcome, cancel_requested_at, queue, group_key)
    SELECT j.job_id, j.state, j.attempts, j.max_attempts, j.worker_id, j.lease_until,
      j.last_worker, j.last_outcome, j.cancel_requested_at, j.queue, j.group_key
    FROM @given AS g
    INNER JOIN {schema}tq_job AS j
      WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.job_id
    ORDER BY g.job_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  ELSE
    INSERT INTO @locked (job_id, state, attempts, max_attempts, worker_id, lease_until, last_worker,
      last_outcome, cancel_requested_at, queue, group_key)
    SELECT j.job_id, j.state, j.attempts, j.max_attempts, j.worker_id, j.lease_until,
      j.last_worker, j.last_outcome, j.cancel_requested_at, j.queue, j.group_key
    FROM @given AS g
    INNER JOIN {schema}tq_job AS j
      WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
      ON j.job_id = g.job_id
    ORDER BY g.job_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  SET @now = SYSUTCDATETIME();
  INSERT INTO @judged (job_id, ord, outcome, becomes, error, run_at)
  SELECT
    g.job_id,
    g.ord,
    CASE
      WHEN l.state = 'running' AND l.attempts = g.generation AND l.worker_id = g.worker
        AND ((g.verb <> 'expired' AND l.lease_until > @now)
          OR (g.verb = 'expired' AND l.lease_until <= @now)) THEN 'done'
      WHEN l.state <> 'running' AND l.attempts = g.generation AND l.last_worker = g.worker
        AND l.last_outcome = g.verb THEN 'already'
      WHEN l.job_id IS NOT NULL THEN 'lost'
      -- A dirty read, since any other would wait: there, but not to be had.
      WHEN @wait = 0 AND EXISTS (
        SELECT 1
        FROM {schema}tq_job AS b WITH (READUNCOMMITTED, INDEX (tq_job_pk), FORCESEEK)
        WHERE b.job_id = g.job_id) THEN 'busy'
      ELSE 'gone'
    END,
    CASE
      WHEN g.verb = 'completed' THEN 'succeeded'
      WHEN g.verb = 'cancelled' OR l.cancel_requested_at IS NOT NULL THEN 'cancelled'
      WHEN g.verb IN ('snoozed', 'released') THEN 'ready'
      WHEN g.delay IS NULL OR l.attempts >= l.max_attempts THEN 'dead'
      ELSE 'ready'
    END,
    CASE
      WHEN g.verb IN ('failed', 'expired')
        THEN LEFT(COALESCE(g.error, N'') COLLATE Latin1_General_100_CI_AS_SC, 4000)
    END,
    CASE
      WHEN g.verb = 'released' THEN @now
      ELSE DATEADD(MICROSECOND, CAST(COALESCE(g.delay, 0) % 60000000 AS int),
        DATEADD(MINUTE, CAST(COALESCE(g.delay, 0) / 60000000 AS int), @now))
    END
  FROM @given AS g
  LEFT JOIN @locked AS l ON l.job_id = g.job_id
  OPTION (LOOP JOIN, MAXDOP 1);
  UPDATE j
  SET
    state = d.becomes,
    run_at = CASE WHEN d.becomes = 'ready' THEN d.run_at ELSE j.run_at END,
    max_attempts = j.max_attempts
      + CASE WHEN d.becomes = 'ready' AND g.verb IN ('snoozed', 'released') THEN 1 ELSE 0 END,
    worker_id = NULL,
    lease_until = NULL,
    last_worker = g.worker,
    last_outcome = g.verb,
    last_error = COALESCE(d.error, j.last_error),
    finished_at = CASE WHEN d.becomes <> 'ready' THEN @now END,
    cancel_requested_at = CASE WHEN d.becomes = 'cancelled' THEN j.cancel_requested_at END
  FROM @judged AS d
  INNER JOIN @given AS g ON g.job_id = d.job_id
  INNER JOIN {schema}tq_job AS j WITH (ROWLOCK, INDEX (tq_job_pk), FORCESEEK)
    ON j.job_id = d.job_id
  WHERE d.outcome = 'done'
    AND j.state = 'running' AND j.worker_id = g.worker AND j.attempts = g.generation
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  -- A failure of the same generation is there already if the job was deleted and stored again. Nobody
  -- else can write it: that takes the lock of the job.
  UPDATE f
  SET worker_id = g.worker, failed_at = @now, error = d.error
  FROM @judged AS d
  INNER JOIN @given AS g ON g.job_id = d.job_id
  INNER JOIN {schema}tq_failure AS f WITH (ROWLOCK, INDEX (tq_failure_pk), FORCESEEK)
    ON f.job_id = d.job_id AND f.generation = g.generation
  WHERE d.outcome = 'done' AND d.error IS NOT NULL
  OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
  INSERT INTO {schema}tq_failure (job_id, generation, worker_id, failed_at, error)
  SELECT d.job_id, g.generation, g.worker, @now, d.error
  FROM @judged AS d
  INNER JOIN @given AS g ON g.job_id = d.job_id
  WHERE d.outcome = 'done' AND d.error IS NOT NULL
    AND NOT EXISTS (
      SELECT 1
      FROM {schema}tq_failure AS f WITH (ROWLOCK, INDEX (tq_failure_pk), FORCESEEK)
      WHERE f.job_id = d.job_id AND f.generation = g.generation)
  OPTION (LOOP JOIN, MAXDOP 1);
  -- Those that were not compared with their group yet wait for the next claim: no producer is waited
  -- for here. Whoever cancels one that waits is: nobody else would open it, should that be undone. What
  -- is found is looked at again on its locked row, and where it was cancelled meanwhile, the next one.
  INSERT INTO @ended (queue, group_key)
  SELECT DISTINCT l.queue, l.group_key
  FROM @judged AS d
  INNER JOIN @locked AS l ON l.job_id = d.job_id
  WHERE d.outcome = 'done' AND d.becomes <> 'ready' AND l.group_key IS NOT NULL;
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
SELECT d.ord, d.outcome
FROM @judged AS d
ORDER BY d.ord
