-- Promise: the tables and indexes of version 1. May be run again, from any point: what is there stays
-- as it is.
-- Locks: those of CREATE TABLE and CREATE INDEX on new tables; schema_lock.sql keeps installers apart.
-- A plain INSERT that names queue, kind and payload makes a valid job: every other column has a
-- default. What the contract says of a row, the checks enforce, whoever writes it.
--
-- job_id is the UUID as 16 bytes, which sort as the text does; uniqueidentifier does not.
--   https://learn.microsoft.com/en-us/sql/t-sql/data-types/binary-and-varbinary-transact-sql
-- Times are UTC whatever the session's language and zone.
--   https://learn.microsoft.com/en-us/sql/t-sql/data-types/datetime2-transact-sql
-- Names compare by their code points. A comparison pads with blanks whatever the collation, so a name
-- that begins or ends with one is refused. A character beyond the first plane counts as one only in a
-- collation with _SC.
--   https://learn.microsoft.com/en-us/sql/relational-databases/collations/collation-and-unicode-support
-- ISJSON of SQL Server 2019 takes objects and arrays alone. What is valid as the only member of an
-- array and as a member of an object is one value: several values are no member of an object, and
-- further members no elements of an array.
--   https://learn.microsoft.com/en-us/sql/t-sql/functions/isjson-transact-sql
-- Row locks alone: READPAST waits for the lock of a page, and one of the whole table locks out all.
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/alter-table-transact-sql
--   https://learn.microsoft.com/en-us/sql/t-sql/statements/alter-index-transact-sql
IF OBJECT_ID(N'{schema}tq_job', N'U') IS NULL
CREATE TABLE {schema}tq_job (
  job_id binary(16) NOT NULL CONSTRAINT tq_job_new_id DEFAULT (CONVERT(binary(16), NEWID())),
  run_at datetime2(6) NOT NULL CONSTRAINT tq_job_due_now DEFAULT (SYSUTCDATETIME()),
  created_at datetime2(6) NOT NULL CONSTRAINT tq_job_made_now DEFAULT (SYSUTCDATETIME()),
  lease_until datetime2(6) NULL,
  finished_at datetime2(6) NULL,
  cancel_requested_at datetime2(6) NULL,
  attempts int NOT NULL CONSTRAINT tq_job_no_attempt DEFAULT (0),
  max_attempts int NOT NULL CONSTRAINT tq_job_three_attempts DEFAULT (3),
  priority smallint NOT NULL CONSTRAINT tq_job_no_priority DEFAULT (0),
  -- 0: open, if it has no group; with one, as a plain INSERT stored it, and not compared with its
  -- group yet. 1: not compared yet. 2: waits behind another job of its group. -1: its group's turn,
  -- ready or running; there is one such job in a group at most. claim_settle.sql, finish.sql and
  -- cancel.sql move it.
  gate smallint NOT NULL CONSTRAINT tq_job_open DEFAULT (0),
  state varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL
    CONSTRAINT tq_job_ready DEFAULT ('ready'),
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  kind nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  unique_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  group_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  worker_id nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  last_worker nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  last_outcome varchar(16) COLLATE Latin1_General_100_BIN2 NULL,
  last_error nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
  origin nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
  payload nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  CONSTRAINT tq_job_pk PRIMARY KEY CLUSTERED (job_id) WITH (ALLOW_PAGE_LOCKS = OFF),
  CONSTRAINT tq_job_queue CHECK (
    LEN(queue COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(queue) = DATALENGTH(LTRIM(RTRIM(queue)))),
  CONSTRAINT tq_job_kind CHECK (
    LEN(kind COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(kind) = DATALENGTH(LTRIM(RTRIM(kind)))),
  CONSTRAINT tq_job_unique_key CHECK (
    LEN(unique_key COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(unique_key) = DATALENGTH(LTRIM(RTRIM(unique_key)))),
  CONSTRAINT tq_job_group_key CHECK (
    LEN(group_key COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(group_key) = DATALENGTH(LTRIM(RTRIM(group_key)))),
  CONSTRAINT tq_job_payload CHECK (
    ISJSON(N'[' + payload + N']') = 1 AND ISJSON(N'{"payload":' + payload + N'}') = 1),
  CONSTRAINT tq_job_state CHECK (
    state IN ('ready', 'running', 'succeeded', 'dead', 'cancelled', 'moved')),
  CONSTRAINT tq_job_priority CHECK (priority BETWEEN -10 AND 10),
  CONSTRAINT tq_job_gate CHECK (gate BETWEEN -1 AND 2 AND (group_key IS NOT NULL OR gate = 0)),
  -- With the unique index below: one running job in a group.
  CONSTRAINT tq_job_turn CHECK (state <> 'running' OR group_key IS NULL OR gate = -1),
  CONSTRAINT tq_job_attempts CHECK (attempts >= 0),
  CONSTRAINT tq_job_max_attempts CHECK (max_attempts > 0),
  -- A ready job without an attempt left would stay in the claim index for ever.
  CONSTRAINT tq_job_attempts_left CHECK (state <> 'ready' OR attempts < max_attempts),
  CONSTRAINT tq_job_owner CHECK (
    (state = 'running' AND worker_id IS NOT NULL) OR (state <> 'running' AND worker_id IS NULL)),
  CONSTRAINT tq_job_leased CHECK (
    (state = 'running' AND lease_until IS NOT NULL)
    OR (state <> 'running' AND lease_until IS NULL)),
  CONSTRAINT tq_job_finished CHECK (
    (state IN ('ready', 'running') AND finished_at IS NULL)
    OR (state NOT IN ('ready', 'running') AND finished_at IS NOT NULL)),
  CONSTRAINT tq_job_last_outcome CHECK (
    last_outcome IN ('completed', 'failed', 'snoozed', 'released', 'expired', 'cancelled')),
  CONSTRAINT tq_job_last_error CHECK (
    LEN(last_error COLLATE Latin1_General_100_CI_AS_SC) <= 4000)
)
-- step
ALTER TABLE {schema}tq_job SET (LOCK_ESCALATION = DISABLE)
-- step
-- What a claim looks for, in its order. Jobs that wait behind another one of their group are not in
-- it. The predicate of each filtered index is written in the statements as it stands here, with
-- literals, so that the server knows that the index has all that is asked for.
--   https://learn.microsoft.com/en-us/sql/relational-databases/indexes/create-filtered-indexes
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_claim')
CREATE INDEX tq_job_claim
  ON {schema}tq_job (queue, priority DESC, run_at, job_id)
  INCLUDE (attempts)
  WHERE state = 'ready' AND gate <= 0
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- The jobs that claim_settle.sql has to compare with their group, by group.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_settle')
CREATE INDEX tq_job_settle
  ON {schema}tq_job (queue, group_key, created_at, job_id)
  INCLUDE (gate, run_at, attempts)
  WHERE group_key IS NOT NULL AND state = 'ready' AND gate >= 0 AND gate <= 1
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- For expired.sql: leases by their end.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_lease')
CREATE INDEX tq_job_lease
  ON {schema}tq_job (lease_until)
  INCLUDE (queue)
  WHERE state = 'running'
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- One active job for each unique key.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_unique')
CREATE UNIQUE INDEX tq_job_unique
  ON {schema}tq_job (queue, unique_key)
  WHERE unique_key IS NOT NULL AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- One job of each group has its turn, and only that one can run. A claim changes none of its columns
-- and so neither waits here nor is refused: who opens a job does, or is.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_running')
CREATE UNIQUE INDEX tq_job_running
  ON {schema}tq_job (queue, group_key)
  WHERE group_key IS NOT NULL AND gate = -1 AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- Those that wait behind another job of their group, in the order of the group: no entry here is a
-- producer's that was not committed, so who hands the turn on may wait for one.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_group')
CREATE INDEX tq_job_group
  ON {schema}tq_job (queue, group_key, created_at, job_id)
  INCLUDE (run_at, attempts)
  WHERE group_key IS NOT NULL AND gate = 2 AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- For purge.sql and the capped counts of stats.sql.
IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'{schema}tq_job') AND i.name = N'tq_job_final')
CREATE INDEX tq_job_final
  ON {schema}tq_job (queue, state, finished_at)
  WHERE finished_at IS NOT NULL
  WITH (ALLOW_PAGE_LOCKS = OFF)
-- step
-- No foreign key to tq_job: checking one locks the job's row.
IF OBJECT_ID(N'{schema}tq_failure', N'U') IS NULL
CREATE TABLE {schema}tq_failure (
  job_id binary(16) NOT NULL,
  generation int NOT NULL,
  failed_at datetime2(6) NOT NULL,
  worker_id nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  error nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  CONSTRAINT tq_failure_pk PRIMARY KEY CLUSTERED (job_id, generation) WITH (ALLOW_PAGE_LOCKS = OFF)
)
-- step
ALTER TABLE {schema}tq_failure SET (LOCK_ESCALATION = DISABLE)
-- step
-- What is known of a queue besides its jobs. A queue without a row is not paused.
IF OBJECT_ID(N'{schema}tq_queue', N'U') IS NULL
CREATE TABLE {schema}tq_queue (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  paused_at datetime2(6) NULL,
  listen_until datetime2(6) NULL,
  CONSTRAINT tq_queue_pk PRIMARY KEY CLUSTERED (queue) WITH (ALLOW_PAGE_LOCKS = OFF),
  CONSTRAINT tq_queue_queue CHECK (
    LEN(queue COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(queue) = DATALENGTH(LTRIM(RTRIM(queue))))
)
-- step
IF OBJECT_ID(N'{schema}tq_schema', N'U') IS NULL
CREATE TABLE {schema}tq_schema (
  version int NOT NULL,
  installed_at datetime2(6) NOT NULL CONSTRAINT tq_schema_now DEFAULT (SYSUTCDATETIME()),
  CONSTRAINT tq_schema_pk PRIMARY KEY CLUSTERED (version)
)
-- step
INSERT INTO {schema}tq_schema (version)
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM {schema}tq_schema AS s WHERE s.version = 1)
