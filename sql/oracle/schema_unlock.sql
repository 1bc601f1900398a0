-- Promise: the session's statements that change tables wait no more, as is the default.
-- Locks: none.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DDL_LOCK_TIMEOUT.html
ALTER SESSION SET DDL_LOCK_TIMEOUT = 0
