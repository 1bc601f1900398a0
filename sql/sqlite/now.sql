-- Promise: the database's clock. SQLite's is that of the machine, in whole milliseconds; it stands
--   still within a statement. https://www.sqlite.org/lang_datefunc.html
-- Locks: none.
-- columns: now int64
SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
