-- Promise: locks up to n due open jobs of one priority of a queue, in the order run_at, job_id, and
-- gives them back as they will be once claim_mark.sql has made them running. Nothing from a paused
-- queue. Never waits for a job's row.
-- Locks: exactly the rows that it gives back and their entries of tq_job_claim, until the end of the
-- transaction, passing over locked ones. At READ COMMITTED there are no gap locks.
--   https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- Index: tq_job_claim gives the order. A sort would have every due row locked before the first n
-- were known.
-- parameters: queue text, n int64, lease int64, priority int64
-- columns: job_id text, kind text, payload text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, lease_until int64, unique_key text, group_key text
SELECT
  LOWER(INSERT(INSERT(INSERT(INSERT(HEX(j.job_id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))
    AS job_id,
  j.kind,
  j.payload,
  j.priority,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.run_at) AS run_at,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', j.created_at) AS created_at,
  j.attempts + 1 AS attempts,
  j.max_attempts,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + :lease AS lease_until,
  j.unique_key,
  j.group_key
FROM {schema}tq_job AS j FORCE INDEX (tq_job_claim)
WHERE j.claim_q = :queue AND j.priority = :priority AND j.run_at <= UTC_TIMESTAMP(6)
  AND (SELECT q.paused_at FROM {schema}tq_queue AS q WHERE q.queue = :queue) IS NULL
  AND (
    j.group_key IS NULL
    OR (
      -- An open job can have been overtaken by an earlier one that committed later.
      j.job_id = (
        SELECT h.job_id FROM {schema}tq_job AS h FORCE INDEX (tq_job_group)
        WHERE h.active_q = j.queue AND h.group_key = j.group_key
        ORDER BY h.active_q, h.group_key, h.created_at, h.job_id LIMIT 1)
      -- The same may have happened after the later one was started.
      AND (
        SELECT r.job_id FROM {schema}tq_job AS r FORCE INDEX (tq_job_running)
        WHERE r.running_q = j.queue AND r.group_key = j.group_key) IS NULL))
ORDER BY j.run_at, j.job_id
LIMIT :n
FOR UPDATE SKIP LOCKED
