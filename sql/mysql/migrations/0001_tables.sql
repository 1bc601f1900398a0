-- Promise: the tables and indexes of version 1. May be run again, from any point: what is there stays
-- as it is. Each statement commits by itself, whatever transaction is open.
--   https://dev.mysql.com/doc/refman/en/implicit-commit.html
-- Locks: the metadata locks of CREATE TABLE; a second installer waits for them and finds the table.
--   https://dev.mysql.com/doc/refman/en/metadata-locking.html
-- A plain INSERT that names queue, kind and payload makes a valid job: every other column has a
-- default. What the contract says of a row, the checks enforce, whoever writes it.
--
-- job_id is the UUID as 16 bytes: every index carries it. HEX(job_id) shows it.
-- Times are UTC whatever the session's zone: DATETIME is never converted.
--   https://dev.mysql.com/doc/refman/en/datetime.html
-- Names compare by their code points. The _bin collation pads with blanks, so a name that begins or
-- ends with one is refused; lengths are compared, because by themselves the two would be equal.
--   https://dev.mysql.com/doc/refman/en/charset-binary-collations.html
-- There are no partial indexes. Virtual columns that are NULL where a row is not in question stand
-- for their conditions: NULLs are never duplicates of one another in a unique index.
--   https://dev.mysql.com/doc/refman/en/create-table-generated-columns.html
--   https://dev.mysql.com/doc/refman/en/create-index.html#create-index-unique
CREATE TABLE IF NOT EXISTS {schema}tq_job (
  job_id BINARY(16) NOT NULL DEFAULT (UNHEX(REPLACE(UUID(), '-', ''))),
  run_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  lease_until DATETIME(6),
  finished_at DATETIME(6),
  cancel_requested_at DATETIME(6),
  attempts INT NOT NULL DEFAULT 0,
  max_attempts INT NOT NULL DEFAULT 3,
  priority TINYINT NOT NULL DEFAULT 0,
  -- 0: open, may be claimed. 1: has a group and was not compared with it yet. 2: waits behind
  -- another job of its group. claim_settle.sql, finish.sql and cancel.sql move it. A plain INSERT
  -- of a grouped job stores 0: the claim looks for the head of the group all the same.
  gate TINYINT NOT NULL DEFAULT 0,
  state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'ready',
  queue VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  kind VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  unique_key VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  group_key VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  worker_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  last_worker VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  last_outcome VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin,
  last_error TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  origin TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  -- Text with a check keeps the bytes; the type JSON of MySQL would rewrite them.
  payload LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,

  claim_q VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN state = 'ready' AND gate = 0 THEN queue END) VIRTUAL INVISIBLE,
  settle_q VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN state = 'ready' AND gate = 1 THEN queue END) VIRTUAL INVISIBLE,
  active_q VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN state IN ('ready', 'running') THEN queue END) VIRTUAL INVISIBLE,
  running_q VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN state = 'running' THEN queue END) VIRTUAL INVISIBLE,
  final_state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin
    GENERATED ALWAYS AS (CASE WHEN finished_at IS NOT NULL THEN state END) VIRTUAL INVISIBLE,

  PRIMARY KEY (job_id),
  -- What a claim looks for, in its order; attempts spares the statistics the row. Blocked jobs of a
  -- group are not in it.
  INDEX tq_job_claim (claim_q, priority, run_at, job_id, attempts),
  -- The followers that claim_settle.sql has to judge, by group.
  INDEX tq_job_settle (settle_q, group_key, created_at, job_id),
  -- For expired.sql: leases by their end.
  INDEX tq_job_lease (lease_until),
  -- One active job for each unique key.
  UNIQUE INDEX tq_job_unique (active_q, unique_key),
  -- One running job for each group: the last guard, whatever a claim believed.
  UNIQUE INDEX tq_job_running (running_q, group_key),
  -- The order of each group.
  INDEX tq_job_group (active_q, group_key, created_at, job_id),
  -- For purge.sql and the statistics, which also find every queue by it.
  INDEX tq_job_final (queue, final_state, finished_at),

  CONSTRAINT tq_job_queue CHECK (
    CHAR_LENGTH(queue) BETWEEN 1 AND 128 AND CHAR_LENGTH(queue) = CHAR_LENGTH(TRIM(queue))),
  CONSTRAINT tq_job_kind CHECK (
    CHAR_LENGTH(kind) BETWEEN 1 AND 128 AND CHAR_LENGTH(kind) = CHAR_LENGTH(TRIM(kind))),
  CONSTRAINT tq_job_unique_key CHECK (
    CHAR_LENGTH(unique_key) BETWEEN 1 AND 128
    AND CHAR_LENGTH(unique_key) = CHAR_LENGTH(TRIM(unique_key))),
  CONSTRAINT tq_job_group_key CHECK (
    CHAR_LENGTH(group_key) BETWEEN 1 AND 128
    AND CHAR_LENGTH(group_key) = CHAR_LENGTH(TRIM(group_key))),
  CONSTRAINT tq_job_payload CHECK (JSON_VALID(payload)),
  CONSTRAINT tq_job_state CHECK (
    state IN ('ready', 'running', 'succeeded', 'dead', 'cancelled', 'moved')),
  CONSTRAINT tq_job_priority CHECK (priority BETWEEN -10 AND 10),
  CONSTRAINT tq_job_gate CHECK (gate BETWEEN 0 AND 2),
  CONSTRAINT tq_job_attempts CHECK (attempts >= 0),
  CONSTRAINT tq_job_max_attempts CHECK (max_attempts > 0),
  -- A ready job without an attempt left would stay in the claim index for ever.
  CONSTRAINT tq_job_attempts_left CHECK (state <> 'ready' OR attempts < max_attempts),
  CONSTRAINT tq_job_owner CHECK ((state = 'running') = (worker_id IS NOT NULL)),
  CONSTRAINT tq_job_lease CHECK ((state = 'running') = (lease_until IS NOT NULL)),
  CONSTRAINT tq_job_finished CHECK ((state IN ('ready', 'running')) = (finished_at IS NULL)),
  CONSTRAINT tq_job_last_outcome CHECK (
    last_outcome IN ('completed', 'failed', 'snoozed', 'released', 'expired', 'cancelled')),
  CONSTRAINT tq_job_last_error CHECK (CHAR_LENGTH(last_error) <= 4000)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
-- step
-- No foreign key to tq_job: checking one locks the job's row.
CREATE TABLE IF NOT EXISTS {schema}tq_failure (
  job_id BINARY(16) NOT NULL,
  generation INT NOT NULL,
  failed_at DATETIME(6) NOT NULL,
  worker_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  error TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (job_id, generation)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
-- step
-- What is known of a queue besides its jobs. A queue without a row is not paused.
CREATE TABLE IF NOT EXISTS {schema}tq_queue (
  queue VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  paused_at DATETIME(6),
  listen_until DATETIME(6),
  PRIMARY KEY (queue),
  CONSTRAINT tq_queue_queue CHECK (
    CHAR_LENGTH(queue) BETWEEN 1 AND 128 AND CHAR_LENGTH(queue) = CHAR_LENGTH(TRIM(queue)))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
-- step
CREATE TABLE IF NOT EXISTS {schema}tq_schema (
  version INT NOT NULL,
  installed_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  PRIMARY KEY (version)
) ENGINE = InnoDB
-- step
INSERT INTO {schema}tq_schema (version)
VALUES (1)
ON DUPLICATE KEY UPDATE version = tq_schema.version
