-- Promise: the newest version that is installed, 0 if none is.
-- Locks: none.
-- https://dev.mysql.com/doc/refman/en/aggregate-functions.html#function_max
-- columns: version int64
SELECT COALESCE(MAX(s.version), 0) AS version
FROM {schema}tq_schema AS s
