-- Promise: takes the mark of pause off a queue.
-- Locks: SQLite's one write lock.
-- parameters: queue text
UPDATE {schema}tq_queue SET paused_at = NULL WHERE queue = :queue AND paused_at IS NOT NULL
