-- Promise: claims one named job if it is ready and its attempts are still what they were, so that a
-- failure can be recorded after the transaction that ran it was lost.
-- Locks: its row, which is waited for. The unique index tq_job_running refuses it while another job
-- of its group runs.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- parameters: job_id text, attempts int64, worker text, lease int64
-- columns: generation int64
SELECT j.attempts + 1 AS generation
FROM {schema}tq_job AS j FORCE INDEX (PRIMARY)
WHERE j.job_id = UNHEX(REPLACE(:job_id, '-', ''))
  AND j.state = 'ready' AND j.attempts = :attempts
FOR UPDATE
-- step
UPDATE {schema}tq_job AS j FORCE INDEX (PRIMARY)
SET
  j.state = 'running',
  j.attempts = j.attempts + 1,
  j.worker_id = :worker,
  j.lease_until = TIMESTAMPADD(MICROSECOND, :lease, UTC_TIMESTAMP(6)),
  j.last_outcome = NULL
WHERE j.job_id = UNHEX(REPLACE(:job_id, '-', ''))
  AND j.state = 'ready' AND j.attempts = :attempts
