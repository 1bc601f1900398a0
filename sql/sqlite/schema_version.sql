-- Promise: the newest version that is installed; 0 if none was noted.
-- Locks: none.
-- columns: version int64
SELECT coalesce(max(version), 0) FROM {schema}tq_schema
