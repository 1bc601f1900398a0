-- Promise: ends a pause; where there is none, nothing happens.
-- Locks: the queue's row until the end of the transaction.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/UPDATE.html
-- parameters: queue text
UPDATE {schema}tq_queue q
SET q.paused_at = NULL
WHERE q.queue = CAST(:queue AS VARCHAR2(128 CHAR)) AND q.paused_at IS NOT NULL
