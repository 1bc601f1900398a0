-- Promise: the database's clock, which all that is due is measured by.
-- Locks: none.
-- https://www.postgresql.org/docs/current/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT
-- columns: now int64
SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) AS now
