-- Promise: three roles with no more than their work takes, for SQL*Plus: tq_producer adds valid jobs and
-- looks up those that stand in their way; tq_worker claims, finishes, reaps and purges; tq_operator (the
-- administrator of queues) cancels, requeues, purges and pauses, and adds nothing. May be run again.
--   sqlplus admin@database @roles.sql
-- To be run after `tq init`, by a user that may create roles and grant on the tables: by
-- their owner with CREATE ROLE, or by a DBA. Then: GRANT tq_worker TO billing_worker. The tables'
-- owner is written jobs here: put yours in its place.
-- That owner needs CREATE SESSION, CREATE TABLE and CREATE SEQUENCE (for the numbers of tq_given), and
-- a quota on a tablespace; nothing of DBMS_LOCK and no other grant of an administrator. SQL that is sent by a
-- session runs with the roles that are on; a stored procedure of the application's needs the grants
-- themselves, since roles do not count there.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/GRANT.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/dbseg/configuring-privilege-and-role-authorization.html
-- tq_given and tq_answer hold a session's own rows until it commits: nobody sees another's.
BEGIN
  FOR r IN (
    SELECT w.name FROM JSON_TABLE('["tq_producer", "tq_worker", "tq_operator"]', '$[*]'
      COLUMNS (name VARCHAR2(30) PATH '$')) w
  ) LOOP
    BEGIN
      EXECUTE IMMEDIATE 'CREATE ROLE ' || r.name;
    EXCEPTION
      -- ORA-01921: the name is taken by a role or a user.
      WHEN OTHERS THEN
        IF SQLCODE <> -1921 THEN RAISE; END IF;
    END;
  END LOOP;
END;
/

GRANT SELECT ON jobs.tq_schema TO tq_producer, tq_worker, tq_operator;
GRANT SELECT ON jobs.tq_queue TO tq_producer, tq_worker, tq_operator;
GRANT SELECT, INSERT, DELETE ON jobs.tq_given TO tq_producer, tq_worker, tq_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_answer TO tq_producer, tq_worker, tq_operator;

-- A plain INSERT names queue, kind and payload. There is no SELECT on columns, so a producer can read
-- payloads. It cannot change or delete a job.
GRANT SELECT ON jobs.tq_job TO tq_producer;
GRANT INSERT (job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key,
  group_key, gate) ON jobs.tq_job TO tq_producer;

-- SELECT, and not READ, since a claim locks rows.
GRANT SELECT, DELETE ON jobs.tq_job TO tq_worker;
GRANT UPDATE (state, gate, attempts, max_attempts, run_at, worker_id, lease_until, finished_at,
  last_worker, last_outcome, last_error, cancel_requested_at) ON jobs.tq_job TO tq_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_worker;

GRANT SELECT, UPDATE, DELETE ON jobs.tq_job TO tq_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_operator;
GRANT INSERT (queue, paused_at), UPDATE (paused_at) ON jobs.tq_queue TO tq_operator;
