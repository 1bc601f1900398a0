-- Promise: gives up to n running jobs whose lease has ended, the longest ended first, as finish
-- wants them. Changes nothing.
-- Locks: U on their entries of tq_job_lease and their rows until the end of the transaction, passing
-- over locked ones. Any number of reapers get different jobs; a worker's late acknowledgement waits
-- for the reaper, and is then refused.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- https://learn.microsoft.com/en-us/sql/t-sql/statements/set-deadlock-priority-transact-sql
-- parameters: n int64
-- columns: job_id text, generation int64, worker text, attempts int64, max_attempts int64
SET NOCOUNT ON;
DECLARE @n bigint = :n;
-- See claim_pick.sql.
DECLARE @version int = (SELECT MAX(s.version) FROM {schema}tq_schema AS s);
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET DEADLOCK_PRIORITY LOW;
DECLARE @now datetime2(6) = SYSUTCDATETIME();
SELECT TOP (@n)
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), j.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id,
  CAST(j.attempts AS bigint) AS generation,
  j.worker_id AS worker,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts
FROM {schema}tq_job AS j
  WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_lease), FORCESEEK)
WHERE j.state = 'running' AND j.lease_until <= @now AND j.worker_id IS NOT NULL
ORDER BY j.lease_until
OPTION (MAXDOP 1, OPTIMIZE FOR (@n = 1))
