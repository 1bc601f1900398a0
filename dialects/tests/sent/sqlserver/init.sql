-- TableQueue, schema version 1 for sqlserver. Running it again does no harm.
:ON ERROR EXIT
SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER ON;
SET NUMERIC_ROUNDABORT OFF;
SET XACT_ABORT ON;
GO
BEGIN TRANSACTION;
GO

IF SCHEMA_ID(N'jobs') IS NULL EXECUTE (N'CREATE SCHEMA jobs');
GO

-- 1: tables
IF OBJECT_ID(N'jobs.tq_job', N'U') IS NULL
CREATE TABLE jobs.tq_job (
  job_id binary(16) NOT NULL CONSTRAINT tq_job_new_id DEFAULT (CONVERT(binary(16), NEWID())),
  run_at datetime2(6) NOT NULL CONSTRAINT tq_job_due_now DEFAULT (SYSUTCDATETIME()),
  created_at datetime2(6) NOT NULL CONSTRAINT tq_job_made_now DEFAULT (SYSUTCDATETIME()),
  lease_until datetime2(6) NULL,
  finished_at datetime2(6) NULL,
  cancel_requested_at datetime2(6) NULL,
  attempts int NOT NULL CONSTRAINT tq_job_no_attempt DEFAULT (0),
  max_attempts int NOT NULL CONSTRAINT tq_job_three_attempts DEFAULT (3),
  priority smallint NOT NULL CONSTRAINT tq_job_no_priority DEFAULT (0),
  
  
  
  
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
  
  CONSTRAINT tq_job_turn CHECK (state <> 'running' OR group_key IS NULL OR gate = -1),
  CONSTRAINT tq_job_attempts CHECK (attempts >= 0),
  CONSTRAINT tq_job_max_attempts CHECK (max_attempts > 0),
  
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
);
GO

ALTER TABLE jobs.tq_job SET (LOCK_ESCALATION = DISABLE);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_claim')
CREATE INDEX tq_job_claim
  ON jobs.tq_job (queue, priority DESC, run_at, job_id)
  INCLUDE (attempts)
  WHERE state = 'ready' AND gate <= 0
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_settle')
CREATE INDEX tq_job_settle
  ON jobs.tq_job (queue, group_key, created_at, job_id)
  INCLUDE (gate, run_at, attempts)
  WHERE group_key IS NOT NULL AND state = 'ready' AND gate >= 0 AND gate <= 1
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_lease')
CREATE INDEX tq_job_lease
  ON jobs.tq_job (lease_until)
  INCLUDE (queue)
  WHERE state = 'running'
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_unique')
CREATE UNIQUE INDEX tq_job_unique
  ON jobs.tq_job (queue, unique_key)
  WHERE unique_key IS NOT NULL AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_running')
CREATE UNIQUE INDEX tq_job_running
  ON jobs.tq_job (queue, group_key)
  WHERE group_key IS NOT NULL AND gate = -1 AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_group')
CREATE INDEX tq_job_group
  ON jobs.tq_job (queue, group_key, created_at, job_id)
  INCLUDE (run_at, attempts)
  WHERE group_key IS NOT NULL AND gate = 2 AND finished_at IS NULL
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes AS i
               WHERE i.object_id = OBJECT_ID(N'jobs.tq_job') AND i.name = N'tq_job_final')
CREATE INDEX tq_job_final
  ON jobs.tq_job (queue, state, finished_at)
  WHERE finished_at IS NOT NULL
  WITH (ALLOW_PAGE_LOCKS = OFF);
GO

IF OBJECT_ID(N'jobs.tq_failure', N'U') IS NULL
CREATE TABLE jobs.tq_failure (
  job_id binary(16) NOT NULL,
  generation int NOT NULL,
  failed_at datetime2(6) NOT NULL,
  worker_id nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  error nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  CONSTRAINT tq_failure_pk PRIMARY KEY CLUSTERED (job_id, generation) WITH (ALLOW_PAGE_LOCKS = OFF)
);
GO

ALTER TABLE jobs.tq_failure SET (LOCK_ESCALATION = DISABLE);
GO

IF OBJECT_ID(N'jobs.tq_queue', N'U') IS NULL
CREATE TABLE jobs.tq_queue (
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NOT NULL,
  paused_at datetime2(6) NULL,
  listen_until datetime2(6) NULL,
  CONSTRAINT tq_queue_pk PRIMARY KEY CLUSTERED (queue) WITH (ALLOW_PAGE_LOCKS = OFF),
  CONSTRAINT tq_queue_queue CHECK (
    LEN(queue COLLATE Latin1_General_100_CI_AS_SC) BETWEEN 1 AND 128
    AND DATALENGTH(queue) = DATALENGTH(LTRIM(RTRIM(queue))))
);
GO

IF OBJECT_ID(N'jobs.tq_schema', N'U') IS NULL
CREATE TABLE jobs.tq_schema (
  version int NOT NULL,
  installed_at datetime2(6) NOT NULL CONSTRAINT tq_schema_now DEFAULT (SYSUTCDATETIME()),
  CONSTRAINT tq_schema_pk PRIMARY KEY CLUSTERED (version)
);
GO

INSERT INTO jobs.tq_schema (version)
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM jobs.tq_schema AS s WHERE s.version = 1);
GO

COMMIT TRANSACTION;
GO
