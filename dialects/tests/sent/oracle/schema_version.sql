-- bound: nothing
SELECT CAST(COALESCE(MAX(s.version), 0) AS NUMBER(10)) AS version
FROM tq_schema s
