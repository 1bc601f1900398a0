-- bound: queue text, span int64
SELECT /*+ INDEX(j tq_job_final) */ CAST(COUNT(*) AS NUMBER(19)) AS finished
FROM tq_job j
WHERE j.final_q = CAST(? AS VARCHAR2(128 CHAR))
  AND j.final_state IN ('succeeded', 'dead', 'cancelled')
  AND j.finished_at
    > SYS_EXTRACT_UTC(SYSTIMESTAMP) - NUMTODSINTERVAL(CAST(? AS NUMBER) / 1000000, 'SECOND')
