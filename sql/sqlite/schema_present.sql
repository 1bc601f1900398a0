-- Promise: whether the table tq_schema is there: 0 or 1.
-- Locks: none.
-- columns: present int64
SELECT count(*) FROM {schema}sqlite_schema WHERE type = 'table' AND name = 'tq_schema'
