-- bound: nothing
SELECT CAST(COALESCE(MAX(s.version), 0) AS bigint) AS version
FROM tq_schema AS s
