-- Promise: 1 if the table of versions is there, else 0; never an error.
-- Locks: none.
-- https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CATALOG
-- columns: present int64
SELECT CAST(CASE WHEN to_regclass('{schema}tq_schema') IS NULL THEN 0 ELSE 1 END AS bigint) AS present
