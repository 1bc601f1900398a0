-- Promise: how many jobs of the queue became succeeded, dead or cancelled in the last span, and are so
-- still.
-- Locks: none.
-- Index: three ranges of tq_job_final; the work is that of the answer.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/NUMTODSINTERVAL.html
-- parameters: queue text, span int64
-- columns: finished int64
SELECT /*+ INDEX(j tq_job_final) */ CAST(COUNT(*) AS NUMBER(19)) AS finished
FROM {schema}tq_job j
WHERE j.final_q = CAST(:queue AS VARCHAR2(128 CHAR))
  AND j.final_state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at
    > SYS_EXTRACT_UTC(SYSTIMESTAMP) - NUMTODSINTERVAL(CAST(:span AS NUMBER) / 1000000, 'SECOND')
