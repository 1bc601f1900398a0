-- Promise: says for each job that enqueue refused which job stands in its way: the active one that
-- holds its unique key, else the one that has its id. No row where there is none any more.
-- Locks: none that outlives it. It reads with locks whatever the caller's isolation level, so it waits
-- for a holder that is just ending, and sees the winner that committed after a snapshot was taken.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
-- parameters: jobs text
-- columns: ord int64, job_id text
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(:jobs AS nvarchar(max));
DECLARE @given TABLE (
  ord bigint NOT NULL PRIMARY KEY,
  job_id binary(16) NOT NULL,
  queue nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL,
  unique_key nvarchar(256) COLLATE Latin1_General_100_BIN2 NULL
);
INSERT INTO @given (ord, job_id, queue, unique_key)
SELECT p.ord, CONVERT(binary(16), REPLACE(p.job_id, '-', ''), 2), p.queue, p.unique_key
FROM OPENJSON(@jobs) WITH (
  ord bigint '$.ord',
  job_id char(36) '$.job_id',
  queue nvarchar(256) '$.queue',
  unique_key nvarchar(256) '$.unique_key') AS p;
SELECT
  h.ord,
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), h.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id
FROM (
  SELECT
    g.ord,
    COALESCE(
      (SELECT u.job_id
       FROM {schema}tq_job AS u
         WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_unique), FORCESEEK)
       WHERE u.queue = g.queue AND u.unique_key = g.unique_key AND u.unique_key IS NOT NULL
         AND u.finished_at IS NULL),
      (SELECT i.job_id
       FROM {schema}tq_job AS i WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
       WHERE i.job_id = g.job_id)) AS job_id
  FROM @given AS g
) AS h
WHERE h.job_id IS NOT NULL
ORDER BY h.ord
OPTION (LOOP JOIN, MAXDOP 1)
