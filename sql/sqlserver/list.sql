-- Promise: up to n jobs in the order of job_id, after the one given; a null filter matches all.
-- Locks: none that outlives it; without READ_COMMITTED_SNAPSHOT it waits for a row that is being
-- written.
-- Index: the primary key gives the order, and the scan ends at the limit. What is rare is looked for
-- along it, through the whole table if need be.
-- https://learn.microsoft.com/en-us/sql/t-sql/queries/top-transact-sql
-- parameters: queue text, kind text, state text, after text, n int64
-- columns: job_id text, queue text, kind text, payload text, state text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, worker_id text, lease_until int64, finished_at int64, last_worker text, last_outcome text, last_error text, cancel_requested_at int64, unique_key text, group_key text, origin text
SET NOCOUNT ON;
DECLARE @queue nvarchar(256) = CAST(:queue AS nvarchar(256));
DECLARE @kind nvarchar(256) = CAST(:kind AS nvarchar(256));
DECLARE @state varchar(16) = CAST(:state AS nvarchar(16));
-- The nil id, which no job has, stands for no lower bound.
DECLARE @after binary(16) = COALESCE(
  CONVERT(binary(16), REPLACE(CAST(:after AS nvarchar(36)), '-', ''), 2),
  0x00000000000000000000000000000000);
DECLARE @n bigint = :n;
SELECT TOP (@n)
  STUFF(STUFF(STUFF(STUFF(LOWER(CONVERT(char(32), j.job_id, 2)),
    21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS job_id,
  j.queue,
  j.kind,
  j.payload,
  j.state,
  CAST(j.priority AS bigint) AS priority,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.run_at) AS run_at,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.created_at) AS created_at,
  CAST(j.attempts AS bigint) AS attempts,
  CAST(j.max_attempts AS bigint) AS max_attempts,
  j.worker_id,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.lease_until) AS lease_until,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.finished_at) AS finished_at,
  j.last_worker,
  j.last_outcome,
  j.last_error,
  DATEDIFF_BIG(MICROSECOND, '1970-01-01', j.cancel_requested_at) AS cancel_requested_at,
  j.unique_key,
  j.group_key,
  j.origin
FROM {schema}tq_job AS j WITH (INDEX (tq_job_pk), FORCESEEK)
WHERE j.job_id > @after
  AND (@queue IS NULL OR j.queue = @queue)
  AND (@kind IS NULL OR j.kind = @kind)
  AND (@state IS NULL OR j.state = @state)
ORDER BY j.job_id
