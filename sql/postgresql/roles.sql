-- Promise: three roles with no more rights than they need, for the tables in the schema jobs. A producer
-- can add valid jobs and read no payload; a worker cannot add or pause; an operator cannot add.
-- Give login roles one of them; grant again after an upgrade that adds tables.
-- Locks: for a moment those of GRANT on the tables' entries in the catalogue.
-- https://www.postgresql.org/docs/current/sql-grant.html
-- [quote]
CREATE ROLE tq_producer;
CREATE ROLE tq_worker;
CREATE ROLE tq_operator;
GRANT USAGE ON SCHEMA jobs TO tq_producer, tq_worker, tq_operator;
GRANT SELECT ON jobs.tq_schema, jobs.tq_queue TO tq_producer, tq_worker, tq_operator;

GRANT SELECT (job_id, queue, state, run_at, created_at, unique_key, group_key),
  INSERT (job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key,
    group_key, gate)
  ON jobs.tq_job TO tq_producer;

GRANT SELECT, DELETE,
  UPDATE (state, gate, attempts, max_attempts, run_at, worker_id, lease_until, finished_at,
    last_worker, last_outcome, last_error, cancel_requested_at)
  ON jobs.tq_job TO tq_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_worker;
GRANT INSERT (queue, listen_until), UPDATE (listen_until) ON jobs.tq_queue TO tq_worker;

GRANT SELECT, UPDATE, DELETE ON jobs.tq_job TO tq_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_operator;
GRANT INSERT (queue, paused_at), UPDATE (paused_at) ON jobs.tq_queue TO tq_operator;
-- [/quote]
