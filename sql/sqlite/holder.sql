-- Promise: for each given job that enqueue refused, the active job that holds its unique key, or
--   else the job that has its id; no row where there is none any more.
-- Locks: none; inside the transaction of enqueue nobody else can change the answer.
-- parameters: jobs text
-- columns: ord int64, job_id text
WITH asked(ord, job_id, queue, unique_key) AS MATERIALIZED (
  SELECT json_extract(value, '$.ord'), json_extract(value, '$.job_id'),
         json_extract(value, '$.queue'), json_extract(value, '$.unique_key')
  FROM json_each(:jobs)
),
found(ord, job_id) AS (
  SELECT asked.ord, coalesce(
    (SELECT holder.job_id FROM {schema}tq_job AS holder INDEXED BY tq_job_unique
     WHERE holder.queue = asked.queue AND holder.unique_key = asked.unique_key
       AND holder.state IN ('ready', 'running')),
    (SELECT same.job_id FROM {schema}tq_job AS same WHERE same.job_id = asked.job_id))
  FROM asked
)
SELECT ord, job_id FROM found WHERE job_id IS NOT NULL
