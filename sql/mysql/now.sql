-- Promise: the database's clock, which all that is due is measured by.
-- Locks: none.
-- https://dev.mysql.com/doc/refman/en/date-and-time-functions.html#function_utc-timestamp
-- columns: now int64
SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now
