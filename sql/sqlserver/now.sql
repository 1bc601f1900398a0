-- Promise: the database's clock, which all that is due is measured by.
-- Locks: none.
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/sysutcdatetime-transact-sql
-- https://learn.microsoft.com/en-us/sql/t-sql/functions/datediff-big-transact-sql
-- columns: now int64
SELECT DATEDIFF_BIG(MICROSECOND, '1970-01-01', SYSUTCDATETIME()) AS now
