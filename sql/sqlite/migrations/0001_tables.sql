-- Promise: makes the tables of TableQueue beside whatever else the database file holds; running it
--   again does no harm. The tables themselves refuse what would make a row mean nothing.
-- Locks: SQLite's one write lock, from BEGIN IMMEDIATE to the commit.
--
-- STRICT (3.37): without it any column takes any type. https://www.sqlite.org/stricttables.html
-- Times are microseconds UTC; the clock of SQLite has milliseconds.
--   https://www.sqlite.org/lang_datefunc.html
-- payload is the last column, so that reading the others never walks a large row's overflow pages.
-- No foreign keys: whether they are enforced is the application's setting, for all its tables.

CREATE TABLE IF NOT EXISTS {schema}tq_job (
  -- For plain SQL inserts; the library sends UUIDs of version 7. There is no uuid() function.
  job_id TEXT NOT NULL PRIMARY KEY DEFAULT (lower(
      hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
      || '-' || substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2)
      || '-' || hex(randomblob(6)))),
  queue TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'ready'
    CHECK (state IN ('ready', 'running', 'succeeded', 'dead', 'cancelled', 'moved')),
  -- 0: open, in the claim index; 2: blocked, behind another job of its group. 1 is for engines
  -- whose producers cannot see one another.
  gate INTEGER NOT NULL DEFAULT 0 CHECK (gate IN (0, 1, 2)),
  priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN -10 AND 10),
  run_at INTEGER NOT NULL
    DEFAULT (CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000),
  created_at INTEGER NOT NULL
    DEFAULT (CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts INTEGER NOT NULL DEFAULT 3 CHECK (max_attempts > 0),
  worker_id TEXT,
  lease_until INTEGER,
  finished_at INTEGER,
  last_worker TEXT,
  last_outcome TEXT CHECK (last_outcome IN
      ('completed', 'failed', 'snoozed', 'released', 'expired', 'cancelled')),
  last_error TEXT CHECK (length(last_error) <= 4000),
  cancel_requested_at INTEGER,
  unique_key TEXT,
  group_key TEXT,
  origin TEXT,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  CHECK (job_id GLOB '????????-????-????-????-????????????'
         AND job_id NOT GLOB '*[^-0-9a-f]*' AND length(replace(job_id, '-', '')) = 32),
  -- length() counts characters up to a NUL, so a NUL is looked for on its own.
  CHECK (length(queue) BETWEEN 1 AND 128 AND queue = trim(queue) AND instr(queue, char(0)) = 0),
  CHECK (length(kind) BETWEEN 1 AND 128 AND kind = trim(kind) AND instr(kind, char(0)) = 0),
  CHECK (unique_key IS NULL OR (length(unique_key) BETWEEN 1 AND 128
         AND unique_key = trim(unique_key) AND instr(unique_key, char(0)) = 0)),
  CHECK (group_key IS NULL OR (length(group_key) BETWEEN 1 AND 128
         AND group_key = trim(group_key) AND instr(group_key, char(0)) = 0)),
  CHECK (length(worker_id) BETWEEN 1 AND 128),
  -- A ready job without attempts left could never be claimed, but would stand in the claim index.
  CHECK (state <> 'ready' OR attempts < max_attempts),
  CHECK ((state = 'running') = (worker_id IS NOT NULL)),
  CHECK ((state = 'running') = (lease_until IS NOT NULL)),
  CHECK ((state IN ('succeeded', 'dead', 'cancelled', 'moved')) = (finished_at IS NOT NULL))
) STRICT

-- step
-- Exact bounds within one priority: jobs due tomorrow are never scanned.
CREATE INDEX IF NOT EXISTS {schema}tq_job_claim
  ON tq_job (queue, priority DESC, run_at, job_id) WHERE state = 'ready' AND gate = 0

-- step
CREATE INDEX IF NOT EXISTS {schema}tq_job_lease ON tq_job (lease_until) WHERE state = 'running'

-- step
CREATE UNIQUE INDEX IF NOT EXISTS {schema}tq_job_unique
  ON tq_job (queue, unique_key) WHERE unique_key IS NOT NULL AND state IN ('ready', 'running')

-- step
-- At most one job of a group runs, whatever a statement believes.
CREATE UNIQUE INDEX IF NOT EXISTS {schema}tq_job_running
  ON tq_job (queue, group_key) WHERE group_key IS NOT NULL AND state = 'running'

-- step
-- The order within a group.
CREATE INDEX IF NOT EXISTS {schema}tq_job_group
  ON tq_job (queue, group_key, created_at, job_id)
  WHERE group_key IS NOT NULL AND state IN ('ready', 'running')

-- step
-- For purge and the statistics.
CREATE INDEX IF NOT EXISTS {schema}tq_job_final
  ON tq_job (queue, state, finished_at) WHERE finished_at IS NOT NULL

-- step
CREATE TABLE IF NOT EXISTS {schema}tq_queue (
  queue TEXT NOT NULL PRIMARY KEY
    CHECK (length(queue) BETWEEN 1 AND 128 AND queue = trim(queue) AND instr(queue, char(0)) = 0),
  paused_at INTEGER,
  listen_until INTEGER
) STRICT

-- step
CREATE TABLE IF NOT EXISTS {schema}tq_failure (
  job_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  worker_id TEXT NOT NULL,
  failed_at INTEGER NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (job_id, generation)
) STRICT

-- step
CREATE TABLE IF NOT EXISTS {schema}tq_schema (
  version INTEGER NOT NULL PRIMARY KEY,
  installed_at INTEGER NOT NULL
) STRICT

-- step
INSERT INTO {schema}tq_schema (version, installed_at)
VALUES (1, CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)
ON CONFLICT (version) DO NOTHING
