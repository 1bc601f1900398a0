-- Promise: judges up to 64 groups that have unsettled followers. If the head of the group can be
-- locked, it is opened and up to 8 of the others are marked as blocked. If not, they stay as they are
-- until the next claim; up to 512 groups are looked at, so that 64 whose heads are held for long do not
-- stand before the rest. Where nothing is unsettled, it is one look into an index.
-- Locks: those heads and followers until the end of the transaction, passing over what is locked. It
-- waits for no row, so it takes part in no deadlock.
-- Why it is needed: a producer may commit a follower after the job before it was finished by someone
-- who could not see the follower, and so opened nobody.
-- Why the head's lock: while it is held nobody can finish the head, and whoever does so later opens
-- the next one and sees these followers. The head is written even where it is open already: a finish
-- in a SERIALIZABLE transaction that began before then fails (ORA-08177) instead of not seeing them.
-- Index: tq_job_settle, a step from one group to the next (INDEX RANGE SCAN (MIN/MAX)), however many
-- followers each has. No group's name is below CHR(0).
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html
--   https://docs.oracle.com/en/database/oracle/oracle-database/19/cncpt/data-concurrency-and-consistency.html
-- parameters: queue text
DECLARE
  asked_queue VARCHAR2(128 CHAR) DEFAULT :queue;
  this_group VARCHAR2(128 CHAR) DEFAULT CHR(0);
  head_id RAW(16);
  follower_id RAW(16);
  most NUMBER;
  judged NUMBER DEFAULT 0;
  -- Without a lock: a locking read that passes over a locked head would take the next one for it.
  CURSOR group_order IS
    SELECT /*+ INDEX(h tq_job_group) */ h.job_id
    FROM {schema}tq_job h
    WHERE h.group_q = asked_queue AND h.group_g = this_group
    ORDER BY h.group_at, h.group_id;
  -- Locked as they are fetched, see claim_pick.sql.
  CURSOR followers IS
    SELECT /*+ INDEX(j tq_job_settle) */ j.job_id
    FROM {schema}tq_job j
    WHERE j.settle_q = asked_queue AND j.settle_g = this_group
    FOR UPDATE SKIP LOCKED;
BEGIN
  FOR i IN 1 .. 512 LOOP
    EXIT WHEN judged >= 64;
    SELECT /*+ INDEX(j tq_job_settle) */ MIN(j.settle_g) INTO this_group
    FROM {schema}tq_job j
    WHERE j.settle_q = asked_queue AND j.settle_g > this_group;
    EXIT WHEN this_group IS NULL;
    SELECT NULL INTO head_id FROM DUAL;
    OPEN group_order;
    FETCH group_order INTO head_id;
    CLOSE group_order;
    -- By id, so that the state is judged again on the row as it is once it is locked.
    SELECT 0 INTO most FROM DUAL;
    FOR h IN (
      SELECT j.job_id FROM {schema}tq_job j
      WHERE j.job_id = head_id AND j.state IN ('ready', 'running')
      FOR UPDATE SKIP LOCKED
    ) LOOP
      UPDATE {schema}tq_job j
      SET j.gate = CASE WHEN j.state = 'ready' THEN 0 ELSE j.gate END
      WHERE j.job_id = h.job_id AND j.state IN ('ready', 'running');
      SELECT 8, judged + 1 INTO most, judged FROM DUAL;
    END LOOP;
    IF most > 0 THEN
      -- The head is open by now, or running, and so is not among them.
      OPEN followers;
      FOR k IN 1 .. most LOOP
        FETCH followers INTO follower_id;
        EXIT WHEN followers%NOTFOUND;
        UPDATE {schema}tq_job j
        SET j.gate = 2
        WHERE j.job_id = follower_id AND j.state = 'ready' AND j.gate = 1;
      END LOOP;
      CLOSE followers;
    END IF;
  END LOOP;
END;
