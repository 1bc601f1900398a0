-- Promise: installers come one after another. Makes the table of versions, empty, if it is not there:
-- there has to be something to lock.
-- Locks: that table, until the end of the transaction, waiting for it. It stands in the way of no reader.
-- What makes a table commits, so it is done in an autonomous transaction, and each step of a migration
-- likewise; else the first of them would let go of the lock.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/LOCK-TABLE.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/AUTONOMOUS_TRANSACTION-pragma.html
-- The texts are run as such: a block that names a table is not compiled where there is none.
DECLARE
  PROCEDURE make_table IS
    PRAGMA AUTONOMOUS_TRANSACTION;
  BEGIN
    EXECUTE IMMEDIATE '
CREATE TABLE {schema}tq_schema (
  version NUMBER(10) NOT NULL,
  installed_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT tq_schema_pk PRIMARY KEY (version)
)';
  EXCEPTION
    -- ORA-00955: the name is taken.
    WHEN OTHERS THEN
      IF SQLCODE <> -955 THEN RAISE; END IF;
  END;
BEGIN
  make_table();
  EXECUTE IMMEDIATE 'LOCK TABLE {schema}tq_schema IN EXCLUSIVE MODE';
END;
