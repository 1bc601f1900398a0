-- bound: queue text, span int64
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT ?;
  asked_span NUMBER DEFAULT ?;
  half TIMESTAMP(6);
  whole TIMESTAMP(6);
  noted NUMBER;
BEGIN
  SELECT
    SYS_EXTRACT_UTC(SYSTIMESTAMP) + NUMTODSINTERVAL(TRUNC(asked_span / 2) / 1000000, 'SECOND'),
    SYS_EXTRACT_UTC(SYSTIMESTAMP) + NUMTODSINTERVAL(asked_span / 1000000, 'SECOND')
  INTO half, whole FROM DUAL;
  SELECT COUNT(*) INTO noted
  FROM tq_queue q WHERE q.queue = asked_queue AND q.listen_until >= half;
  IF noted = 0 THEN
    BEGIN
      INSERT INTO tq_queue (queue, listen_until) VALUES (asked_queue, whole);
    EXCEPTION
      WHEN DUP_VAL_ON_INDEX THEN
        UPDATE tq_queue q
        SET q.listen_until = whole
        WHERE q.queue = asked_queue AND (q.listen_until IS NULL OR q.listen_until < whole);
    END;
  END IF;
END;
