-- Promise: from its commit on no claim takes a job of this queue. The first pause keeps its time.
-- Locks: the queue's row until the end of the transaction.
-- https://dev.mysql.com/doc/refman/en/insert-on-duplicate.html
-- parameters: queue text
INSERT INTO {schema}tq_queue (queue, paused_at)
VALUES (:queue, UTC_TIMESTAMP(6))
ON DUPLICATE KEY UPDATE paused_at = COALESCE(tq_queue.paused_at, UTC_TIMESTAMP(6))
