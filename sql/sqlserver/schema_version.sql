-- Promise: the newest version that is installed, 0 if none is.
-- Locks: none that outlives it.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/max-transact-sql
-- columns: version int64
SELECT CAST(COALESCE(MAX(s.version), 0) AS bigint) AS version
FROM {schema}tq_schema AS s
