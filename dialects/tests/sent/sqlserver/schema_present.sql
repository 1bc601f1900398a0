-- bound: nothing
SELECT CAST(CASE WHEN OBJECT_ID(N'tq_schema', N'U') IS NULL THEN 0 ELSE 1 END AS bigint)
  AS present
