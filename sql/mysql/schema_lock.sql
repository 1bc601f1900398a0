-- Promise: installers of one database come one after another. After a minute of waiting it goes on
-- without: each step of the installation does no harm beside another one.
-- Locks: a named lock of the session, which outlives the transaction, since every CREATE TABLE commits;
-- schema_unlock.sql lets it go.
-- https://dev.mysql.com/doc/refman/en/locking-functions.html
SELECT GET_LOCK(
  CONCAT('tq_schema ', LEFT(SHA2(COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE(), ''), 256), 40)), 60)
