-- Promise: notes that a worker waits for this queue for the next span, so that enqueue announces.
-- Writes only if less than half of that is noted.
-- Locks: the queue's row until the end of the transaction, if it writes.
-- https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
-- parameters: queue text, span int64
INSERT INTO {schema}tq_queue AS q (queue, listen_until)
SELECT CAST(:queue AS text), m.at + CAST(:span AS bigint) * INTERVAL '1 microsecond'
FROM (SELECT clock_timestamp() AS at) AS m
-- Looked for before: a conflict alone would already lock, and so write, the row.
WHERE (
  SELECT l.queue FROM {schema}tq_queue AS l
  WHERE l.queue = :queue
    AND l.listen_until >= m.at + CAST(:span AS bigint) * INTERVAL '0.5 microsecond'
) IS NULL
ON CONFLICT (queue) DO UPDATE SET listen_until = EXCLUDED.listen_until
WHERE q.listen_until IS NULL OR q.listen_until < EXCLUDED.listen_until
