-- Promise: makes up to n due open jobs of a queue running, and gives them back in the order priority
-- descending, run_at, job_id. Nothing from a paused queue. Never waits for a job's row.
-- Locks: the rows that it takes, one after the other in that order, until the end of the transaction,
-- passing over locked ones, and their entries of the indexes that change. A second claim of the same
-- group may wait for this transaction at the unique index tq_job_running; if this one commits, it is
-- refused there and passes over the job.
-- Why a cursor and no limit: FETCH FIRST goes with no FOR UPDATE (ORA-02014), and ROWNUM is counted
-- before the order and before locked rows are left out, so that n locked heads would hide all others.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
-- Why it is fetched row by row: with SKIP LOCKED a row is locked when it is fetched, so what is not
-- fetched stays free. A cursor FOR loop would fetch, and lock, 100 at a time, and a client's cursor as
-- many as the client likes. The manual says of FOR UPDATE in general that the rows are locked when the
-- cursor is opened; that with SKIP LOCKED its opening touches no block is seen in a trace, and tested by
-- the suite's clause CLM-7.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/lnpls/static-sql.html
--   https://practical-sql-tuning.blogspot.com/2013/12
-- Why the update repeats what was read: the row may have changed between the snapshot that put it in
-- order and its lock. What was changed is counted, not what was fetched.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/cncpt/data-concurrency-and-consistency.html
-- Index: tq_job_claim, entered once for each priority with exact bounds, gives the order without a sort,
-- so neither the backlog, nor finished jobs, nor jobs of high priority that are not due yet make it
-- slower. The hints keep the plan from statistics, and subqueries from becoming joins.
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/tgsql/influencing-the-optimizer.html
-- parameters: queue text, worker text, n int64, lease int64
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT :queue;
  asked_worker VARCHAR2(128 CHAR) DEFAULT :worker;
  wanted NUMBER DEFAULT :n;
  asked_lease NUMBER DEFAULT :lease;
  held NUMBER DEFAULT 0;
  pauses NUMBER;
  moment TIMESTAMP(6);
  picked_id RAW(16);
  picked_attempts NUMBER;
  -- The subqueries read a snapshot and lock nothing: a locked head is seen for what it is.
  CURSOR candidates (this_priority NUMBER) IS
    SELECT /*+ INDEX(j tq_job_claim) */ j.job_id, j.attempts
    FROM {schema}tq_job j
    WHERE j.claim_q = asked_queue AND j.claim_priority = this_priority AND j.claim_at <= moment
      AND (
        j.group_key IS NULL
        OR (
          -- An open job can have been overtaken by an earlier one that committed later. Two exact
          -- ranges of the index, which are empty for the head.
          NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(h tq_job_group) */ h.job_id FROM {schema}tq_job h
            WHERE h.group_q = j.queue AND h.group_g = j.group_key AND h.group_at < j.created_at)
          AND NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(h tq_job_group) */ h.job_id FROM {schema}tq_job h
            WHERE h.group_q = j.queue AND h.group_g = j.group_key AND h.group_at = j.created_at
              AND h.group_id < j.job_id)
          -- The same may have happened after the later one was started.
          AND NOT EXISTS (
            SELECT /*+ NO_UNNEST INDEX(r tq_job_running) */ r.job_id FROM {schema}tq_job r
            WHERE r.running_q = j.queue AND r.running_g = j.group_key)))
    ORDER BY j.claim_at, j.claim_id
    FOR UPDATE SKIP LOCKED;
BEGIN
  DELETE FROM {schema}tq_answer;
  SELECT COUNT(*) INTO pauses
  FROM {schema}tq_queue q WHERE q.queue = asked_queue AND q.paused_at IS NOT NULL;
  IF pauses = 0 THEN
    SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) INTO moment FROM DUAL;
    -- From the highest down. Counted up: not every PL/SQL reads the bounds of REVERSE alike.
    FOR below IN 0 .. 20 LOOP
      EXIT WHEN held >= wanted;
      OPEN candidates(10 - below);
      LOOP
        -- Asked before each fetch: a fetch locks.
        EXIT WHEN held >= wanted;
        FETCH candidates INTO picked_id, picked_attempts;
        EXIT WHEN candidates%NOTFOUND;
        BEGIN
          UPDATE {schema}tq_job j
          SET
            j.state = 'running',
            j.attempts = j.attempts + 1,
            j.worker_id = asked_worker,
            j.lease_until = SYS_EXTRACT_UTC(SYSTIMESTAMP)
              + NUMTODSINTERVAL(TRUNC(asked_lease / 86400000000), 'DAY')
              + NUMTODSINTERVAL(MOD(asked_lease, 86400000000) / 1000000, 'SECOND'),
            j.last_outcome = NULL
          WHERE j.job_id = picked_id AND j.state = 'ready' AND j.gate = 0
            AND j.attempts = picked_attempts;
          IF SQL%ROWCOUNT = 1 THEN
            SELECT held + 1 INTO held FROM DUAL;
            INSERT INTO {schema}tq_answer (ord, job_id) VALUES (held, picked_id);
          END IF;
        EXCEPTION
          -- Another job of its group was started meanwhile.
          WHEN DUP_VAL_ON_INDEX THEN NULL;
        END;
      END LOOP;
      CLOSE candidates;
    END LOOP;
  END IF;
END;
-- step
-- columns: job_id text, kind text, payload text, priority int64, run_at int64, created_at int64, attempts int64, max_attempts int64, lease_until int64, unique_key text, group_key text
SELECT /*+ LEADING(a) USE_NL(j) INDEX(j tq_job_pk) */
  j.uuid AS job_id,
  j.kind,
  j.payload,
  j.priority,
  j.run_us AS run_at,
  j.created_us AS created_at,
  j.attempts,
  j.max_attempts,
  j.lease_us AS lease_until,
  j.unique_key,
  j.group_key
FROM {schema}tq_answer a
JOIN {schema}tq_job j ON j.job_id = a.job_id
ORDER BY a.ord
