-- Promise: claims one named job if it is ready and its attempts are still what they were, so that a
-- failure can be recorded after the transaction that ran it was lost.
-- Locks: its row, which is waited for. The unique index tq_job_running refuses it while another job
-- of its group runs.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- parameters: job_id text, attempts int64, worker text, lease int64
-- columns: generation int64
UPDATE {schema}tq_job AS j
SET
  state = 'running',
  attempts = j.attempts + 1,
  worker_id = :worker,
  lease_until = clock_timestamp() + CAST(:lease AS bigint) * INTERVAL '1 microsecond',
  last_outcome = NULL
WHERE j.job_id = CAST(:job_id AS uuid) AND j.state = 'ready' AND j.attempts = :attempts
RETURNING CAST(j.attempts AS bigint) AS generation
