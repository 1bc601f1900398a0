-- Promise: the statements of concurrent installers wait for one another, for a minute, instead of
-- failing (ORA-00054). More is not needed: each of them does no harm beside another's, and nothing
-- that a plain user may lock outlives a CREATE, since that commits.
-- Locks: none by itself.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DDL_LOCK_TIMEOUT.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Types-of-SQL-Statements.html
ALTER SESSION SET DDL_LOCK_TIMEOUT = 60
