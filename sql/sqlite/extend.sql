-- Promise: sets the lease's end to now + lease where running, generation and worker match and the
--   lease has not ended; says so for each.
-- Locks: SQLite's one write lock. Nobody holds single rows, so no answer is ever busy, and there is
--   nothing to wait for but the write lock itself.
-- parameters: jobs text, lease int64, wait int64
--
-- Changes nothing, but takes the write lock, so that the clock below is read after the wait for
-- it, also in a borrowed transaction that has only read so far.
-- https://www.sqlite.org/lang_transaction.html
UPDATE {schema}tq_job SET lease_until = lease_until WHERE job_id = ''
-- step
-- columns: ord int64, outcome text, lease_until int64, cancel_requested int64, job_id text
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
),
asked(ord, job_id, generation, worker) AS MATERIALIZED (
  SELECT json_extract(value, '$.ord'), json_extract(value, '$.job_id'),
         json_extract(value, '$.generation'), json_extract(value, '$.worker')
  FROM json_each(:jobs)
),
judged(ord, job_id, outcome, now, cancel_requested) AS MATERIALIZED (
  SELECT asked.ord, asked.job_id,
    CASE
      WHEN job.job_id IS NULL THEN 'gone'
      WHEN job.state = 'running' AND job.attempts = asked.generation
        AND job.worker_id = asked.worker AND job.lease_until > clock.now THEN 'done'
      ELSE 'lost'
    END,
    clock.now, job.cancel_requested_at IS NOT NULL
  FROM clock CROSS JOIN asked LEFT JOIN {schema}tq_job AS job ON job.job_id = asked.job_id
)
SELECT ord, outcome,
  CASE WHEN outcome = 'done' THEN now + :lease END,
  CASE WHEN outcome = 'done' THEN cancel_requested END,
  job_id
FROM judged
-- step
UPDATE {schema}tq_job SET lease_until = judged.lease_until
FROM (SELECT json_extract(value, '$.job_id') AS job_id,
             json_extract(value, '$.lease_until') AS lease_until
      FROM json_each(:picked)
      WHERE json_extract(value, '$.outcome') = 'done') AS judged
WHERE tq_job.job_id = judged.job_id
