-- Promise: 1 if the table of versions is there, else 0; never an error. The empty string is NULL, so
-- without a schema it is looked for where the session looks.
-- Locks: none.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/ALL_TABLES.html
-- columns: present int64
SELECT CAST(COUNT(*) AS NUMBER(1)) AS present
FROM ALL_TABLES t
WHERE t.OWNER = COALESCE(RTRIM(UPPER('{schema}'), '.'), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'))
  AND t.TABLE_NAME = 'TQ_SCHEMA'
