-- Promise: how many jobs of the queue became succeeded, dead or cancelled in the last span, and are
--   so still.
-- Locks: none; reads one snapshot.
-- parameters: queue text, span int64
-- columns: finished int64
--
-- Three ranges of the index that holds final jobs by their time: the work is that of the answer.
SELECT count(*)
FROM {schema}tq_job INDEXED BY tq_job_final
WHERE queue = :queue AND state IN ('succeeded', 'dead', 'cancelled')
  AND finished_at IS NOT NULL
  AND finished_at
    > (SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000) - :span
