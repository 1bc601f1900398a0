-- Promise: the newest version that is installed, 0 if none is.
-- Locks: none.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MAX.html
-- columns: version int64
SELECT CAST(COALESCE(MAX(s.version), 0) AS NUMBER(10)) AS version
FROM {schema}tq_schema s
