-- Promise: judges each acknowledgement, carries out the accepted ones, answers all. A refused one
--   changes nothing and does not harm the others.
-- Locks: SQLite's one write lock. Nobody holds single rows, so no answer is ever busy.
-- parameters: jobs text, wait int64
--
-- Changes nothing, but takes the write lock, so that the clock below is read after the wait for
-- it, also in a borrowed transaction that has only read so far.
-- https://www.sqlite.org/lang_transaction.html
UPDATE {schema}tq_job SET lease_until = lease_until WHERE job_id = ''
-- step
-- columns: ord int64, outcome text, job_id text, verb text, error text, now int64, state text, run_at int64, more int64, queue text, group_key text
--
-- The judgement, with all that the later steps need; they change only what was accepted.
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
),
asked(ord, job_id, generation, worker, verb, delay, error) AS MATERIALIZED (
  SELECT json_extract(value, '$.ord'), json_extract(value, '$.job_id'),
         json_extract(value, '$.generation'), json_extract(value, '$.worker'),
         json_extract(value, '$.verb'), json_extract(value, '$.delay'),
         json_extract(value, '$.error')
  FROM json_each(:jobs)
),
judged(ord, job_id, verb, delay, error, now, queue, group_key, outcome, state) AS MATERIALIZED (
  SELECT asked.ord, asked.job_id, asked.verb, asked.delay, asked.error, clock.now,
    job.queue, job.group_key,
    CASE
      WHEN job.job_id IS NULL THEN 'gone'
      WHEN job.state = 'running' AND job.attempts = asked.generation
        AND job.worker_id = asked.worker
        AND (job.lease_until <= clock.now) = (asked.verb = 'expired') THEN 'done'
      WHEN job.state <> 'running' AND job.attempts = asked.generation
        AND job.last_worker = asked.worker AND job.last_outcome = asked.verb THEN 'already'
      ELSE 'lost'
    END,
    CASE
      WHEN asked.verb = 'completed' THEN 'succeeded'
      WHEN asked.verb = 'cancelled' OR job.cancel_requested_at IS NOT NULL THEN 'cancelled'
      WHEN asked.verb IN ('snoozed', 'released') THEN 'ready'
      WHEN asked.delay IS NULL OR job.attempts >= job.max_attempts THEN 'dead'
      ELSE 'ready'
    END
  FROM clock CROSS JOIN asked LEFT JOIN {schema}tq_job AS job ON job.job_id = asked.job_id
)
SELECT ord, outcome, job_id, verb, error, now, state,
  CASE WHEN verb = 'released' THEN now ELSE now + coalesce(delay, 0) END,
  state = 'ready' AND verb IN ('snoozed', 'released'),
  queue, group_key
FROM judged
-- step
UPDATE {schema}tq_job
SET state = judged.state,
    run_at = CASE judged.state WHEN 'ready' THEN judged.run_at ELSE tq_job.run_at END,
    max_attempts = max_attempts + judged.more,
    worker_id = NULL,
    lease_until = NULL,
    finished_at = CASE judged.state WHEN 'ready' THEN NULL ELSE judged.now END,
    last_worker = worker_id,
    last_outcome = judged.verb,
    last_error = CASE WHEN judged.verb IN ('failed', 'expired') THEN judged.error
                 ELSE last_error END,
    cancel_requested_at = CASE judged.state WHEN 'cancelled' THEN cancel_requested_at END
FROM (SELECT json_extract(value, '$.job_id') AS job_id, json_extract(value, '$.verb') AS verb,
             json_extract(value, '$.error') AS error, json_extract(value, '$.now') AS now,
             json_extract(value, '$.state') AS state, json_extract(value, '$.run_at') AS run_at,
             json_extract(value, '$.more') AS more
      FROM json_each(:picked)
      WHERE json_extract(value, '$.outcome') = 'done') AS judged
WHERE tq_job.job_id = judged.job_id
-- step
-- when: failed
-- The rows are changed by now, so the generation and the worker are read from them. A row that is
-- there already belongs to a purged job of the same id and is replaced.
INSERT INTO {schema}tq_failure (job_id, generation, worker_id, failed_at, error)
SELECT job.job_id, job.attempts, job.last_worker, json_extract(judged.value, '$.now'),
       coalesce(json_extract(judged.value, '$.error'), '')
FROM json_each(:picked) AS judged
CROSS JOIN {schema}tq_job AS job ON job.job_id = json_extract(judged.value, '$.job_id')
WHERE json_extract(judged.value, '$.outcome') = 'done'
  AND json_extract(judged.value, '$.verb') IN ('failed', 'expired')
ON CONFLICT (job_id, generation) DO UPDATE
SET worker_id = excluded.worker_id, failed_at = excluded.failed_at, error = excluded.error
-- step
-- when: grouped
-- Opens the first job of each group whose running job has ended: the next one, or an earlier one
-- that was committed meanwhile.
WITH touched(queue, group_key) AS MATERIALIZED (
  SELECT DISTINCT json_extract(value, '$.queue'), json_extract(value, '$.group_key')
  FROM json_each(:picked)
  WHERE json_extract(value, '$.outcome') = 'done'
    AND json_extract(value, '$.group_key') IS NOT NULL
)
UPDATE {schema}tq_job SET gate = 0
WHERE job_id IN (
    SELECT (SELECT head.job_id FROM {schema}tq_job AS head INDEXED BY tq_job_group
            WHERE head.queue = touched.queue AND head.group_key = touched.group_key
              AND head.state IN ('ready', 'running')
            ORDER BY head.created_at, head.job_id LIMIT 1)
    FROM touched)
  AND state = 'ready' AND gate <> 0
