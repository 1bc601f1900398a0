-- TableQueue, schema version 1 for oracle. Running it again does no harm.
WHENEVER SQLERROR EXIT FAILURE ROLLBACK

-- 1: tables
DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE jobs.tq_job (
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
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX jobs.tq_job_claim ON jobs.tq_job (claim_q, claim_priority, claim_at, claim_id) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX jobs.tq_job_settle ON jobs.tq_job (settle_q, settle_g) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX jobs.tq_job_lease ON jobs.tq_job (lease_until) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE UNIQUE INDEX jobs.tq_job_unique ON jobs.tq_job (unique_q, unique_k) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE UNIQUE INDEX jobs.tq_job_running ON jobs.tq_job (running_q, running_g) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX jobs.tq_job_group ON jobs.tq_job (group_q, group_g, group_at, group_id) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE
    'CREATE INDEX jobs.tq_job_final ON jobs.tq_job (final_q, final_state, finished_at) INITRANS 16 PCTFREE 20';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE jobs.tq_failure (
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
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE jobs.tq_queue (
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
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE GLOBAL TEMPORARY TABLE jobs.tq_given (
  seq NUMBER GENERATED ALWAYS AS IDENTITY (CACHE 1000),
  jobs CLOB NOT NULL
) ON COMMIT DELETE ROWS';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE GLOBAL TEMPORARY TABLE jobs.tq_answer (
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
/

DECLARE
  PRAGMA AUTONOMOUS_TRANSACTION;
BEGIN
  EXECUTE IMMEDIATE '
CREATE TABLE jobs.tq_schema (
  version NUMBER(10) NOT NULL,
  installed_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT tq_schema_pk PRIMARY KEY (version)
)';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -955 THEN RAISE; END IF;
END;
/

BEGIN
  INSERT INTO jobs.tq_schema (version) VALUES (1);
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN NULL;
END;
/

COMMIT;
