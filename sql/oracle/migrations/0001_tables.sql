-- Promise: the tables and indexes of version 1. May be run again, from any point: what is there stays
-- as it is. That a name is taken already (ORA-00955) is what each statement expects, and no other error.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/EXECUTE-IMMEDIATE-statement.html
-- Each CREATE commits, so each runs in an autonomous transaction: the open one goes on, and keeps the
-- lock of schema_lock.sql. A rollback leaves tables behind, but no version, so it is all run again.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Types-of-SQL-Statements.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/AUTONOMOUS_TRANSACTION-pragma.html
-- Locks: those of CREATE TABLE and CREATE INDEX; schema_lock.sql keeps installers apart.
-- A plain INSERT that names queue, kind and payload makes a valid job: every other column has a
-- default. What the contract says of a row, the checks enforce, whoever writes it.
--
-- gate: 0 is open, may be claimed; 1 has a group and was not compared with it yet; 2 waits behind
-- another job of its group. claim_settle.sql, finish.sql and cancel.sql move it. A plain INSERT of a
-- grouped job stores 0: the claim looks for the head of the group all the same.
-- job_id is the UUID as 16 bytes; the column uuid shows it, and those that end in _us show times as
-- microseconds since 1970. Times are UTC whatever the session's zone.
-- Names are at most 128 characters of at most 4 bytes, so they fit a VARCHAR2 of a database with
-- MAX_STRING_SIZE = STANDARD. The empty string is NULL, so no rule is about it.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Types.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Nulls.html
-- Before version 21, or with COMPATIBLE below 20, IS JSON refuses a document that is a plain value.
-- Such a text is one value exactly if it is an element of an array and also a member of an object:
-- what has a comma outside of brackets is never both.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SQL-JSON-Conditions.html
-- There are no partial indexes, but a row whose key is NULL as a whole has no entry. Virtual columns
-- that are NULL where a row is not in question stand for the conditions: every column of an index
-- is one, or finished jobs would keep an entry for ever. That makes the unique ones right too: two
-- keys are duplicates also if they are equal in part and NULL in the rest. Named columns serve
-- statements under CURSOR_SHARING = FORCE as well, which would hide an expression's literals.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/CREATE-INDEX.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/CREATE-TABLE.html
-- INITRANS: each transaction that changes a block takes a slot in it, and where there is no room for
-- one more it waits, and SKIP LOCKED does not pass over that. 16 are there from the start, and
-- PCTFREE leaves room for more.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/physical_attributes_clause.html
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE {schema}tq_job (
  job_id RAW(16) DEFAULT SYS_GUID() NOT NULL,
  run_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  created_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  lease_until TIMESTAMP(6),
  finished_at TIMESTAMP(6),
  cancel_requested_at TIMESTAMP(6),
  attempts NUMBER(10) DEFAULT 0 NOT NULL,
  max_attempts NUMBER(10) DEFAULT 3 NOT NULL,
  priority NUMBER(2) DEFAULT 0 NOT NULL,
  gate NUMBER(1) DEFAULT 0 NOT NULL,
  state VARCHAR2(16) DEFAULT ''ready'' NOT NULL,
  queue VARCHAR2(128 CHAR) NOT NULL,
  kind VARCHAR2(128 CHAR) NOT NULL,
  unique_key VARCHAR2(128 CHAR),
  group_key VARCHAR2(128 CHAR),
  worker_id VARCHAR2(128 CHAR),
  last_worker VARCHAR2(128 CHAR),
  last_outcome VARCHAR2(16),
  last_error CLOB,
  origin VARCHAR2(1000 CHAR),
  payload CLOB NOT NULL,
  uuid VARCHAR2(36) GENERATED ALWAYS AS (CAST(LOWER(
    SUBSTR(RAWTOHEX(job_id), 1, 8) || ''-'' || SUBSTR(RAWTOHEX(job_id), 9, 4) || ''-''
    || SUBSTR(RAWTOHEX(job_id), 13, 4) || ''-'' || SUBSTR(RAWTOHEX(job_id), 17, 4) || ''-''
    || SUBSTR(RAWTOHEX(job_id), 21, 12)) AS VARCHAR2(36))) VIRTUAL,
  run_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (run_at - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (run_at - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (run_at - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (run_at - DATE ''1970-01-01'')) * 1000000) VIRTUAL,
  created_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (created_at - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (created_at - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (created_at - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (created_at - DATE ''1970-01-01'')) * 1000000) VIRTUAL,
  lease_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (lease_until - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (lease_until - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (lease_until - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (lease_until - DATE ''1970-01-01'')) * 1000000) VIRTUAL,
  finished_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (finished_at - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (finished_at - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (finished_at - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (finished_at - DATE ''1970-01-01'')) * 1000000) VIRTUAL,
  cancel_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (cancel_requested_at - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (cancel_requested_at - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (cancel_requested_at - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (cancel_requested_at - DATE ''1970-01-01'')) * 1000000)
    VIRTUAL,
  claim_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 0 THEN queue END) VIRTUAL,
  claim_priority NUMBER(2) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 0 THEN priority END) VIRTUAL,
  claim_at TIMESTAMP(6) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 0 THEN run_at END) VIRTUAL,
  claim_id RAW(16) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 0 THEN job_id END) VIRTUAL,
  settle_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 1 THEN queue END) VIRTUAL,
  settle_g VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''ready'' AND gate = 1 THEN group_key END) VIRTUAL,
  unique_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') AND unique_key IS NOT NULL THEN queue END) VIRTUAL,
  unique_k VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') THEN unique_key END) VIRTUAL,
  running_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''running'' AND group_key IS NOT NULL THEN queue END) VIRTUAL,
  running_g VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state = ''running'' THEN group_key END) VIRTUAL,
  group_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') AND group_key IS NOT NULL THEN queue END) VIRTUAL,
  group_g VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') THEN group_key END) VIRTUAL,
  group_at TIMESTAMP(6) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') AND group_key IS NOT NULL THEN created_at END) VIRTUAL,
  group_id RAW(16) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN state IN (''ready'', ''running'') AND group_key IS NOT NULL THEN job_id END) VIRTUAL,
  final_q VARCHAR2(128 CHAR) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN finished_at IS NOT NULL THEN queue END) VIRTUAL,
  final_state VARCHAR2(16) INVISIBLE GENERATED ALWAYS AS (
    CASE WHEN finished_at IS NOT NULL THEN state END) VIRTUAL,
  CONSTRAINT tq_job_pk PRIMARY KEY (job_id) USING INDEX INITRANS 16,
  CONSTRAINT tq_job_queue CHECK (SUBSTR(queue, 1, 1) <> '' '' AND SUBSTR(queue, -1) <> '' ''),
  CONSTRAINT tq_job_kind CHECK (SUBSTR(kind, 1, 1) <> '' '' AND SUBSTR(kind, -1) <> '' ''),
  CONSTRAINT tq_job_unique_key CHECK (
    SUBSTR(unique_key, 1, 1) <> '' '' AND SUBSTR(unique_key, -1) <> '' ''),
  CONSTRAINT tq_job_group_key CHECK (
    SUBSTR(group_key, 1, 1) <> '' '' AND SUBSTR(group_key, -1) <> '' ''),
  CONSTRAINT tq_job_payload CHECK (
    payload IS JSON STRICT
    OR ((''['' || payload || '']'') IS JSON STRICT
      AND (CHR(123) || ''"v":'' || payload || CHR(125)) IS JSON STRICT)),
  CONSTRAINT tq_job_state CHECK (
    state IN (''ready'', ''running'', ''succeeded'', ''dead'', ''cancelled'', ''moved'')),
  CONSTRAINT tq_job_priority CHECK (priority BETWEEN -10 AND 10),
  CONSTRAINT tq_job_gate CHECK (gate BETWEEN 0 AND 2),
  CONSTRAINT tq_job_attempts CHECK (attempts >= 0),
  CONSTRAINT tq_job_max_attempts CHECK (max_attempts > 0),
  CONSTRAINT tq_job_attempts_left CHECK (state <> ''ready'' OR attempts < max_attempts),
  CONSTRAINT tq_job_owner CHECK (
    (state = ''running'' AND worker_id IS NOT NULL) OR (state <> ''running'' AND worker_id IS NULL)),
  CONSTRAINT tq_job_leased CHECK (
    (state = ''running'' AND lease_until IS NOT NULL)
    OR (state <> ''running'' AND lease_until IS NULL)),
  CONSTRAINT tq_job_finished CHECK (
    (state IN (''ready'', ''running'') AND finished_at IS NULL)
    OR (state NOT IN (''ready'', ''running'') AND finished_at IS NOT NULL)),
  CONSTRAINT tq_job_last_outcome CHECK (
    last_outcome IN (''completed'', ''failed'', ''snoozed'', ''released'', ''expired'', ''cancelled'')),
  CONSTRAINT tq_job_last_error CHECK (LENGTH(last_error) <= 8000)
) INITRANS 16 PCTFREE 20 LOB (payload) STORE AS (CACHE) LOB (last_error) STORE AS (CACHE)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- What a claim looks for, in its order. Blocked jobs of a group are not in it.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX {schema}tq_job_claim ON {schema}tq_job (claim_q, claim_priority, claim_at, claim_id) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- The followers that claim_settle.sql has to judge, by group.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX {schema}tq_job_settle ON {schema}tq_job (settle_q, settle_g) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- For expired.sql: leases by their end.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX {schema}tq_job_lease ON {schema}tq_job (lease_until) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- One active job for each unique key.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE UNIQUE INDEX {schema}tq_job_unique ON {schema}tq_job (unique_q, unique_k) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- One running job for each group: the last guard, whatever a claim believed.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE UNIQUE INDEX {schema}tq_job_running ON {schema}tq_job (running_q, running_g) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- The order of each group.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX {schema}tq_job_group ON {schema}tq_job (group_q, group_g, group_at, group_id) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- For purge.sql and the statistics.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX {schema}tq_job_final ON {schema}tq_job (final_q, final_state, finished_at) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- No foreign key to tq_job: deleting a job would lock this table, or read it whole. An error that is
-- the empty text is NULL.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE {schema}tq_failure (
  job_id RAW(16) NOT NULL,
  generation NUMBER(10) NOT NULL,
  failed_at TIMESTAMP(6) NOT NULL,
  worker_id VARCHAR2(128 CHAR) NOT NULL,
  error CLOB,
  failed_us NUMBER(19) INVISIBLE GENERATED ALWAYS AS (
    EXTRACT(DAY FROM (failed_at - DATE ''1970-01-01'')) * 86400000000
    + EXTRACT(HOUR FROM (failed_at - DATE ''1970-01-01'')) * 3600000000
    + EXTRACT(MINUTE FROM (failed_at - DATE ''1970-01-01'')) * 60000000
    + EXTRACT(SECOND FROM (failed_at - DATE ''1970-01-01'')) * 1000000) VIRTUAL,
  CONSTRAINT tq_failure_pk PRIMARY KEY (job_id, generation) USING INDEX INITRANS 16
) INITRANS 16 PCTFREE 10';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- What is known of a queue besides its jobs. A queue without a row is not paused.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE {schema}tq_queue (
  queue VARCHAR2(128 CHAR) NOT NULL,
  paused_at TIMESTAMP(6),
  listen_until TIMESTAMP(6),
  CONSTRAINT tq_queue_pk PRIMARY KEY (queue),
  CONSTRAINT tq_queue_queue CHECK (SUBSTR(queue, 1, 1) <> '' '' AND SUBSTR(queue, -1) <> '' '')
) INITRANS 16';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- The rows that a call brings, as JSON. A text of more than 4,000 bytes can be bound as the value of a
-- CLOB column in a plain INSERT and nowhere else in SQL, and one of more than 32,767 bytes not in a
-- block of PL/SQL either. Each session sees its own rows, and the end of the transaction empties it.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/adlob/index.html
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE GLOBAL TEMPORARY TABLE {schema}tq_given (
  seq NUMBER GENERATED ALWAYS AS IDENTITY (CACHE 1000),
  jobs CLOB NOT NULL
) ON COMMIT DELETE ROWS';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
-- What a block of PL/SQL found, for the query behind it: a block gives no rows to every client.
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE GLOBAL TEMPORARY TABLE {schema}tq_answer (
  ord NUMBER(19) NOT NULL,
  job_id RAW(16),
  outcome VARCHAR2(16),
  queue VARCHAR2(128 CHAR),
  group_key VARCHAR2(128 CHAR),
  next_id RAW(16),
  uuid VARCHAR2(36)
) ON COMMIT DELETE ROWS';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE {schema}tq_schema (
  version NUMBER(10) NOT NULL,
  installed_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT tq_schema_pk PRIMARY KEY (version)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
-- step
BEGIN
  INSERT INTO {schema}tq_schema (version) VALUES (1);
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN NULL;
END;
