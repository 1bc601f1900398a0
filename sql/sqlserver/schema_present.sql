-- Promise: 1 if the table of versions is there, else 0; never an error. A table on which the user has
-- no privilege at all is not there for them.
-- Locks: none.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/object-id-transact-sql
-- columns: present int64
SELECT CAST(CASE WHEN OBJECT_ID(N'{schema}tq_schema', N'U') IS NULL THEN 0 ELSE 1 END AS bigint)
  AS present
