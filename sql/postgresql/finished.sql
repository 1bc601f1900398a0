-- Promise: how many jobs of the queue became succeeded, dead or cancelled in the last span, and are
-- so still.
-- Locks: none.
-- Index: three ranges of tq_job_final; the work is that of the answer.
-- parameters: queue text, span int64
-- columns: finished int64
SELECT count(*) AS finished
FROM {schema}tq_job AS j
WHERE j.queue = :queue AND j.state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at IS NOT NULL
  AND j.finished_at
    > (SELECT clock_timestamp() - CAST(:span AS bigint) * INTERVAL '1 microsecond')
