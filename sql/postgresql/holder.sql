-- Promise: says for each job that enqueue refused which job stands in its way: the active one that
-- holds its unique key, else the one that has its id. No row where there is none any more.
-- Locks: none. At READ COMMITTED it sees the winner that enqueue has waited for.
-- https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
-- parameters: jobs text
-- columns: ord int64, job_id text
SELECT h.ord, CAST(h.job_id AS text) AS job_id
FROM (
  SELECT
    g.ord,
    COALESCE(
      (SELECT j.job_id FROM {schema}tq_job AS j
       WHERE j.queue = g.queue AND j.unique_key = g.unique_key AND j.state IN ('ready', 'running')),
      (SELECT j.job_id FROM {schema}tq_job AS j WHERE j.job_id = g.job_id)) AS job_id
  FROM json_to_recordset(CAST(:jobs AS json)) AS g (
    ord bigint, job_id uuid, queue text, unique_key text)
) AS h
WHERE h.job_id IS NOT NULL
ORDER BY h.ord
