-- Promise: three roles with no more rights than they need, for the tables in the schema jobs. A producer
-- can add valid jobs and read no payload; a worker cannot add or pause; an operator cannot add.
-- Make users members of them (ALTER ROLE tq_worker ADD MEMBER name); grant again after an upgrade that
-- adds tables. For sqlcmd, by whoever may make roles in this database.
-- Locks: for a moment those of GRANT on the catalogue.
-- A permission to INSERT is one on all columns; that to read or to update can be on some.
-- https://learn.microsoft.com/en-us/sql/t-sql/statements/grant-object-permissions-transact-sql
-- https://learn.microsoft.com/en-us/sql/t-sql/statements/create-role-transact-sql
-- [quote]
IF DATABASE_PRINCIPAL_ID('tq_producer') IS NULL CREATE ROLE tq_producer;
IF DATABASE_PRINCIPAL_ID('tq_worker') IS NULL CREATE ROLE tq_worker;
IF DATABASE_PRINCIPAL_ID('tq_operator') IS NULL CREATE ROLE tq_operator;
GO

GRANT SELECT ON jobs.tq_schema TO tq_producer, tq_worker, tq_operator;
GRANT SELECT ON jobs.tq_queue TO tq_worker, tq_operator;

GRANT INSERT ON jobs.tq_job TO tq_producer;
GRANT SELECT (job_id, queue, unique_key, finished_at) ON jobs.tq_job TO tq_producer;

GRANT SELECT, DELETE ON jobs.tq_job TO tq_worker;
GRANT UPDATE (state, gate, attempts, max_attempts, run_at, worker_id, lease_until, finished_at,
  last_worker, last_outcome, last_error, cancel_requested_at) ON jobs.tq_job TO tq_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_worker;

GRANT SELECT, UPDATE, DELETE ON jobs.tq_job TO tq_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_operator;
GRANT INSERT ON jobs.tq_queue TO tq_operator;
GRANT UPDATE (paused_at) ON jobs.tq_queue TO tq_operator;
GO
-- [/quote]
