-- Promise: ends a pause; where there is none, nothing happens.
-- Locks: the queue's row until the end of the transaction.
-- https://dev.mysql.com/doc/refman/en/update.html
-- parameters: queue text
UPDATE {schema}tq_queue AS q
SET q.paused_at = NULL
WHERE q.queue = :queue AND q.paused_at IS NOT NULL
