-- Promise: the newest version that is installed, 0 if none is.
-- Locks: none.
-- https://www.postgresql.org/docs/current/functions-aggregate.html
-- columns: version int64
SELECT CAST(COALESCE(max(s.version), 0) AS bigint) AS version
FROM {schema}tq_schema AS s
