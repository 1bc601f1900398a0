-- Promise: claims one named job if it is ready and its attempts are as given, so that a failure can
--   be recorded after the transaction that ran it was lost. One row if it did.
-- Locks: SQLite's one write lock. The unique index over a group's running job refuses a second one.
-- parameters: job_id text, attempts int64, worker text, lease int64
-- columns: generation int64
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
)
UPDATE {schema}tq_job
SET state = 'running',
    attempts = attempts + 1,
    worker_id = :worker,
    lease_until = (SELECT now FROM clock) + :lease,
    last_outcome = NULL
WHERE job_id = :job_id AND state = 'ready' AND attempts = :attempts
RETURNING attempts
