-- Promise: the tables and indexes of version 1. May be run again: what is there stays as it is.
-- Locks: those of CREATE TABLE and CREATE INDEX on new tables; schema_lock.sql keeps installers apart.
-- A plain INSERT that names queue, kind and payload makes a valid job: every other column has a
-- default. What the contract says of a row, the checks enforce, whoever writes it.
-- https://www.postgresql.org/docs/current/sql-createtable.html
CREATE TABLE IF NOT EXISTS {schema}tq_job (
  -- Columns of fixed width stand first, so that no padding is stored.
  job_id uuid NOT NULL DEFAULT gen_random_uuid(),
  run_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz(6),
  finished_at timestamptz(6),
  cancel_requested_at timestamptz(6),
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  priority smallint NOT NULL DEFAULT 0,
  -- 0: open, may be claimed. 1: has a group and was not compared with it yet. 2: waits behind
  -- another job of its group. claim_settle.sql, finish.sql and cancel.sql move it. A plain INSERT
  -- of a grouped job stores 0: the claim looks for the head of the group all the same.
  gate smallint NOT NULL DEFAULT 0,
  -- Collation "C" compares bytes, so no update of the system's locales can spoil an index.
  state text COLLATE "C" NOT NULL DEFAULT 'ready',
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  unique_key text COLLATE "C",
  group_key text COLLATE "C",
  worker_id text COLLATE "C",
  last_worker text COLLATE "C",
  last_outcome text COLLATE "C",
  last_error text,
  origin text,
  -- json checks the text and keeps it byte for byte; jsonb would rewrite it.
  payload json NOT NULL,
  PRIMARY KEY (job_id),
  CONSTRAINT tq_job_queue CHECK (char_length(queue) BETWEEN 1 AND 128 AND queue = btrim(queue)),
  CONSTRAINT tq_job_kind CHECK (char_length(kind) BETWEEN 1 AND 128 AND kind = btrim(kind)),
  CONSTRAINT tq_job_unique_key
    CHECK (char_length(unique_key) BETWEEN 1 AND 128 AND unique_key = btrim(unique_key)),
  CONSTRAINT tq_job_group_key
    CHECK (char_length(group_key) BETWEEN 1 AND 128 AND group_key = btrim(group_key)),
  CONSTRAINT tq_job_state
    CHECK (state IN ('ready', 'running', 'succeeded', 'dead', 'cancelled', 'moved')),
  CONSTRAINT tq_job_priority CHECK (priority BETWEEN -10 AND 10),
  CONSTRAINT tq_job_gate CHECK (gate BETWEEN 0 AND 2),
  CONSTRAINT tq_job_attempts CHECK (attempts >= 0),
  CONSTRAINT tq_job_max_attempts CHECK (max_attempts > 0),
  -- A ready job without an attempt left would stay in the claim index for ever.
  CONSTRAINT tq_job_attempts_left CHECK (state <> 'ready' OR attempts < max_attempts),
  CONSTRAINT tq_job_times CHECK (isfinite(run_at) AND isfinite(created_at)),
  CONSTRAINT tq_job_owner CHECK ((state = 'running') = (worker_id IS NOT NULL)),
  CONSTRAINT tq_job_lease CHECK ((state = 'running') = (lease_until IS NOT NULL)),
  CONSTRAINT tq_job_finished CHECK ((state IN ('ready', 'running')) = (finished_at IS NULL)),
  CONSTRAINT tq_job_last_outcome CHECK (
    last_outcome IN ('completed', 'failed', 'snoozed', 'released', 'expired', 'cancelled')),
  CONSTRAINT tq_job_last_error CHECK (char_length(last_error) <= 4000)
) WITH (
  -- Every job is updated two or three times: dead rows are cleared early and without pauses.
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0,
  -- Giving empty pages back would lock out every claim, and a table of no pages makes a plan that
  -- reads it whole.
  vacuum_truncate = false
)
-- step
-- What a claim looks for, in its order. Blocked jobs of a group are not in it.
CREATE INDEX IF NOT EXISTS tq_job_claim
  ON {schema}tq_job (queue, priority DESC, run_at, job_id)
  WHERE state = 'ready' AND gate = 0
-- step
-- The followers that claim_settle.sql has to judge, by group.
CREATE INDEX IF NOT EXISTS tq_job_settle
  ON {schema}tq_job (queue, group_key, created_at, job_id)
  WHERE state = 'ready' AND gate = 1
-- step
-- For expired.sql: leases by their end.
CREATE INDEX IF NOT EXISTS tq_job_lease
  ON {schema}tq_job (lease_until)
  WHERE state = 'running'
-- step
-- One active job for each unique key.
CREATE UNIQUE INDEX IF NOT EXISTS tq_job_unique
  ON {schema}tq_job (queue, unique_key)
  WHERE unique_key IS NOT NULL AND state IN ('ready', 'running')
-- step
-- One running job for each group: the last guard, whatever a claim believed.
CREATE UNIQUE INDEX IF NOT EXISTS tq_job_running
  ON {schema}tq_job (queue, group_key)
  WHERE group_key IS NOT NULL AND state = 'running'
-- step
-- The order of each group.
CREATE INDEX IF NOT EXISTS tq_job_group
  ON {schema}tq_job (queue, group_key, created_at, job_id)
  WHERE group_key IS NOT NULL AND state IN ('ready', 'running')
-- step
-- For purge.sql and the capped counts of stats.sql.
CREATE INDEX IF NOT EXISTS tq_job_final
  ON {schema}tq_job (queue, state, finished_at)
  WHERE finished_at IS NOT NULL
-- step
-- No foreign key to tq_job: checking one locks the job's row, and one row shared by many
-- transactions becomes a list of lockers that every reader has to look up.
CREATE TABLE IF NOT EXISTS {schema}tq_failure (
  job_id uuid NOT NULL,
  generation integer NOT NULL,
  failed_at timestamptz(6) NOT NULL,
  worker_id text NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (job_id, generation)
)
-- step
-- What is known of a queue besides its jobs. A queue without a row is neither paused nor listened to.
CREATE TABLE IF NOT EXISTS {schema}tq_queue (
  queue text COLLATE "C" NOT NULL,
  paused_at timestamptz(6),
  listen_until timestamptz(6),
  PRIMARY KEY (queue),
  CONSTRAINT tq_queue_queue CHECK (char_length(queue) BETWEEN 1 AND 128 AND queue = btrim(queue))
)
-- step
CREATE TABLE IF NOT EXISTS {schema}tq_schema (
  version integer NOT NULL,
  installed_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (version)
)
-- step
INSERT INTO {schema}tq_schema (version)
VALUES (1)
ON CONFLICT (version) DO NOTHING
