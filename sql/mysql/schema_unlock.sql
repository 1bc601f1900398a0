-- Promise: lets go of what schema_lock.sql has taken.
-- Locks: none.
-- https://dev.mysql.com/doc/refman/en/locking-functions.html
SELECT RELEASE_LOCK(
  CONCAT('tq_schema ', LEFT(SHA2(COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE(), ''), 256), 40)))
