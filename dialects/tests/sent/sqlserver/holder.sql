-- bound: jobs text
SET NOCOUNT ON;
DECLARE @jobs nvarchar(max) = CAST(? AS nvarchar(max));
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
       FROM tq_job AS u
         WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_unique), FORCESEEK)
       WHERE u.queue = g.queue AND u.unique_key = g.unique_key AND u.unique_key IS NOT NULL
         AND u.finished_at IS NULL),
      (SELECT i.job_id
       FROM tq_job AS i WITH (ROWLOCK, READCOMMITTEDLOCK, INDEX (tq_job_pk), FORCESEEK)
       WHERE i.job_id = g.job_id)) AS job_id
  FROM @given AS g
) AS h
WHERE h.job_id IS NOT NULL
ORDER BY h.ord
OPTION (LOOP JOIN, MAXDOP 1)
