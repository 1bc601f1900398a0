-- bound: queue text, cap int64
WITH asked AS (
  SELECT
    CAST(? AS VARCHAR2(128 CHAR)) AS queue, CAST(? AS NUMBER) AS cap,
    CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS TIMESTAMP(6)) AS moment
  FROM DUAL
), final_queue (queue) AS (
  SELECT (SELECT /*+ INDEX(j tq_job_final) */ MIN(j.final_q) FROM tq_job j
          WHERE j.final_q > CHR(0))
  FROM DUAL
  UNION ALL
  SELECT (SELECT /*+ INDEX(j tq_job_final) */ MIN(j.final_q) FROM tq_job j
          WHERE j.final_q > f.queue)
  FROM final_queue f
  WHERE f.queue IS NOT NULL
), open_job AS (
  SELECT /*+ INDEX(j tq_job_claim) */
    j.claim_q AS queue,
    COUNT(*) AS ready,
    COUNT(CASE WHEN j.claim_at <= a.moment THEN 1 END) AS due,
    COUNT(CASE WHEN j.attempts > 0 THEN 1 END) AS retrying,
    MIN(j.claim_at) AS oldest
  FROM asked a JOIN tq_job j
    ON j.claim_q IS NOT NULL AND (a.queue IS NULL OR j.claim_q = a.queue)
  GROUP BY j.claim_q
), blocked_job AS (
  SELECT /*+ INDEX(j tq_job_group) */
    j.group_q AS queue,
    COUNT(*) AS ready,
    COUNT(CASE WHEN j.run_at <= a.moment THEN 1 END) AS due,
    COUNT(CASE WHEN j.attempts > 0 THEN 1 END) AS retrying,
    MIN(j.run_at) AS oldest
  FROM asked a JOIN tq_job j
    ON j.group_q IS NOT NULL AND j.state = 'ready' AND j.gate <> 0
    AND (a.queue IS NULL OR j.group_q = a.queue)
  GROUP BY j.group_q
), running_job AS (
  SELECT /*+ INDEX(j tq_job_lease) */
    j.queue,
    COUNT(*) AS running,
    COUNT(CASE WHEN j.lease_until <= a.moment THEN 1 END) AS expired
  FROM asked a JOIN tq_job j
    ON j.lease_until IS NOT NULL AND (a.queue IS NULL OR j.queue = a.queue)
  GROUP BY j.queue
), shown AS (
  SELECT f.queue FROM final_queue f WHERE f.queue IS NOT NULL
  UNION SELECT o.queue FROM open_job o
  UNION SELECT b.queue FROM blocked_job b
  UNION SELECT r.queue FROM running_job r
  UNION SELECT p.queue FROM tq_queue p WHERE p.paused_at IS NOT NULL
)
SELECT
  q.queue,
  CAST(CASE WHEN p.paused_at IS NULL THEN 0 ELSE 1 END AS NUMBER(1)) AS paused,
  CAST(COALESCE(o.ready, 0) + COALESCE(b.ready, 0) AS NUMBER(19)) AS ready,
  CAST(COALESCE(o.due, 0) + COALESCE(b.due, 0) AS NUMBER(19)) AS due,
  CAST(COALESCE(b.ready, 0) AS NUMBER(19)) AS blocked,
  CAST(COALESCE(o.retrying, 0) + COALESCE(b.retrying, 0) AS NUMBER(19)) AS retrying,
  CAST(GREATEST(0,
    EXTRACT(DAY FROM w.waited) * 86400000000 + EXTRACT(HOUR FROM w.waited) * 3600000000
    + EXTRACT(MINUTE FROM w.waited) * 60000000 + EXTRACT(SECOND FROM w.waited) * 1000000)
    AS NUMBER(19)) AS oldest_due,
  CAST(COALESCE(r.running, 0) AS NUMBER(19)) AS running,
  CAST(COALESCE(r.expired, 0) AS NUMBER(19)) AS expired,
  CAST((SELECT /*+ INDEX(f tq_job_final) */ COUNT(*) FROM tq_job f
        WHERE f.final_q = q.queue AND f.final_state = 'succeeded' AND ROWNUM <= a.cap)
    AS NUMBER(19)) AS succeeded,
  CAST((SELECT /*+ INDEX(f tq_job_final) */ COUNT(*) FROM tq_job f
        WHERE f.final_q = q.queue AND f.final_state = 'dead' AND ROWNUM <= a.cap)
    AS NUMBER(19)) AS dead,
  CAST((SELECT /*+ INDEX(f tq_job_final) */ COUNT(*) FROM tq_job f
        WHERE f.final_q = q.queue AND f.final_state = 'cancelled' AND ROWNUM <= a.cap)
    AS NUMBER(19)) AS cancelled,
  CAST((SELECT /*+ INDEX(f tq_job_final) */ COUNT(*) FROM tq_job f
        WHERE f.final_q = q.queue AND f.final_state = 'moved' AND ROWNUM <= a.cap)
    AS NUMBER(19)) AS moved
FROM asked a
CROSS JOIN shown q
LEFT JOIN tq_queue p ON p.queue = q.queue
LEFT JOIN open_job o ON o.queue = q.queue
LEFT JOIN blocked_job b ON b.queue = q.queue
LEFT JOIN running_job r ON r.queue = q.queue
LEFT JOIN (
  SELECT
    s.queue,
    n.moment - LEAST(COALESCE(x.oldest, n.moment), COALESCE(y.oldest, n.moment)) AS waited
  FROM asked n
  CROSS JOIN shown s
  LEFT JOIN open_job x ON x.queue = s.queue
  LEFT JOIN blocked_job y ON y.queue = s.queue
) w ON w.queue = q.queue
WHERE a.queue IS NULL OR q.queue = a.queue

ORDER BY NLSSORT(q.queue, 'NLS_SORT=BINARY')
