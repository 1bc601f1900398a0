-- For sqlcmd, any number of times: the databases that the suite works in, one with READ_COMMITTED_SNAPSHOT off and
-- one with it on. The health check of the service sqlserver runs it, since its image makes none.
SET NOCOUNT ON;
IF DB_ID('tablequeue') IS NULL CREATE DATABASE tablequeue;
IF DB_ID('tablequeue_rcsi') IS NULL CREATE DATABASE tablequeue_rcsi;
GO
-- An option is set only where it is not: to set it ends the sessions of a database.
IF EXISTS (SELECT 1 FROM sys.databases AS d WHERE d.name = 'tablequeue' AND d.snapshot_isolation_state = 0)
  ALTER DATABASE tablequeue SET ALLOW_SNAPSHOT_ISOLATION ON;
IF EXISTS (SELECT 1 FROM sys.databases AS d WHERE d.name = 'tablequeue_rcsi' AND d.snapshot_isolation_state = 0)
  ALTER DATABASE tablequeue_rcsi SET ALLOW_SNAPSHOT_ISOLATION ON;
IF EXISTS (SELECT 1 FROM sys.databases AS d WHERE d.name = 'tablequeue_rcsi' AND d.is_read_committed_snapshot_on = 0)
  ALTER DATABASE tablequeue_rcsi SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE;
GO
