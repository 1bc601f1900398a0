-- Promise: notes that a worker waits for this queue for the next span. Writes only if less than half
-- of that is noted. The note is for the eye: this engine has nothing to announce a job by.
-- Locks: the queue's row until the end of the transaction, if it writes.
-- https://dev.mysql.com/doc/refman/en/insert-on-duplicate.html
-- parameters: queue text, span int64
INSERT INTO {schema}tq_queue (queue, listen_until)
SELECT m.queue, TIMESTAMPADD(MICROSECOND, m.span, UTC_TIMESTAMP(6))
FROM (SELECT CONVERT(:queue USING utf8mb4) COLLATE utf8mb4_bin AS queue, :span AS span) AS m
LEFT JOIN {schema}tq_queue AS l ON l.queue = m.queue
  AND l.listen_until >= TIMESTAMPADD(MICROSECOND, m.span DIV 2, UTC_TIMESTAMP(6))
WHERE l.queue IS NULL
ON DUPLICATE KEY UPDATE
  listen_until = GREATEST(
    COALESCE({schema}tq_queue.listen_until, '1970-01-01'), VALUES(listen_until))
