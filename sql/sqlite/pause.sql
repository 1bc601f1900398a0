-- Promise: marks a queue as paused: no claim that begins after this commit gets a job of it. A
--   queue that is paused already keeps its time.
-- Locks: SQLite's one write lock.
-- parameters: queue text
INSERT INTO {schema}tq_queue (queue, paused_at)
VALUES (:queue, CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)
ON CONFLICT (queue) DO UPDATE SET paused_at = excluded.paused_at WHERE paused_at IS NULL
