-- Promise: what three users may do with no more rights than they need, for the tables in the database
-- jobs. The users are there already. On MariaDB write UPDATE without (job_id).
-- Locks: none on rows.
-- https://dev.mysql.com/doc/refman/en/grant.html
-- [quote]
GRANT SELECT ON jobs.tq_schema TO tq_producer, tq_worker, tq_operator;
GRANT SELECT, INSERT, UPDATE (job_id) ON jobs.tq_job TO tq_producer;

GRANT SELECT, UPDATE, DELETE ON jobs.tq_job TO tq_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_worker;
GRANT SELECT ON jobs.tq_queue TO tq_worker;

GRANT SELECT, UPDATE, DELETE ON jobs.tq_job TO tq_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.tq_failure TO tq_operator;
GRANT SELECT, INSERT, UPDATE ON jobs.tq_queue TO tq_operator;
-- [/quote]
