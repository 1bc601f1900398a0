-- Promise: 1 if the table of versions is there, else 0; never an error.
-- Locks: none.
-- https://dev.mysql.com/doc/refman/en/information-schema-tables-table.html
-- columns: present int64
SELECT COUNT(*) AS present
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA = COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE())
  AND t.TABLE_NAME = 'tq_schema'
