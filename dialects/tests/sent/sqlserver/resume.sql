-- bound: queue text
UPDATE tq_queue
SET paused_at = NULL
WHERE queue = CAST(? AS nvarchar(256)) AND paused_at IS NOT NULL
