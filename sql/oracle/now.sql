-- Promise: the database's clock, which all that is due is measured by.
-- Locks: none.
-- https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SYSTIMESTAMP.html
-- https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SYS_EXTRACT_UTC.html
-- columns: now int64
SELECT CAST(
  EXTRACT(DAY FROM m.since) * 86400000000 + EXTRACT(HOUR FROM m.since) * 3600000000
  + EXTRACT(MINUTE FROM m.since) * 60000000 + EXTRACT(SECOND FROM m.since) * 1000000
  AS NUMBER(19)) AS now
FROM (
  -- Six digits first, so that nothing is left to round.
  SELECT CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS TIMESTAMP(6)) - DATE '1970-01-01'
    AS since
  FROM DUAL) m
