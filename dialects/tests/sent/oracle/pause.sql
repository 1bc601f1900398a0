-- bound: queue text
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT ?;
BEGIN
  INSERT INTO tq_queue (queue, paused_at)
  VALUES (asked_queue, SYS_EXTRACT_UTC(SYSTIMESTAMP));
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN
    UPDATE tq_queue q
    SET q.paused_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
    WHERE q.queue = asked_queue AND q.paused_at IS NULL;
END;
