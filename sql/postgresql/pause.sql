-- Promise: from its commit on no claim takes a job of this queue. The first pause keeps its time.
-- Locks: the queue's row until the end of the transaction.
-- https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
-- parameters: queue text
INSERT INTO {schema}tq_queue AS q (queue, paused_at)
VALUES (:queue, clock_timestamp())
ON CONFLICT (queue) DO UPDATE SET paused_at = EXCLUDED.paused_at
WHERE q.paused_at IS NULL
