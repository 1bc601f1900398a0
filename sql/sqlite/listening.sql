-- Promise: notes that a worker waits for the queue for the next span; writes only if that is not
--   noted for at least half of it already. Here the note is for the eye only: every commit can be
--   seen through PRAGMA data_version. https://www.sqlite.org/pragma.html#pragma_data_version
-- Locks: SQLite's one write lock.
-- parameters: queue text, span int64
WITH clock(now) AS MATERIALIZED (
  SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
)
INSERT INTO {schema}tq_queue (queue, listen_until)
SELECT :queue, now + :span FROM clock WHERE true
ON CONFLICT (queue) DO UPDATE SET listen_until = excluded.listen_until
WHERE coalesce(listen_until, 0) < excluded.listen_until - :span / 2
