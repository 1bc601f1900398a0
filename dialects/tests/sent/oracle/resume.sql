-- bound: queue text
UPDATE tq_queue q
SET q.paused_at = NULL
WHERE q.queue = CAST(? AS VARCHAR2(128 CHAR)) AND q.paused_at IS NOT NULL
