-- Promise: from its commit on no claim takes a job of this queue. The first pause keeps its time.
-- Locks: the queue's row until the end of the transaction. Two first pauses at once: the second waits
-- at the first's entry of the primary key, and then changes its row.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/plsql-error-handling.html
-- parameters: queue text
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT :queue;
BEGIN
  INSERT INTO {schema}tq_queue (queue, paused_at)
  VALUES (asked_queue, SYS_EXTRACT_UTC(SYSTIMESTAMP));
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN
    UPDATE {schema}tq_queue q
    SET q.paused_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
    WHERE q.queue = asked_queue AND q.paused_at IS NULL;
END;
