-- Promise: ends a pause; where there is none, nothing happens.
-- Locks: the queue's row until the end of the transaction.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/update-transact-sql
-- parameters: queue text
UPDATE {schema}tq_queue
SET paused_at = NULL
WHERE queue = CAST(:queue AS nvarchar(256)) AND paused_at IS NOT NULL
