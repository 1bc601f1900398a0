-- Promise: judges up to 64 groups that have unsettled followers. If the head of the group can be
-- locked, it is opened and up to 512 of the others, of all these groups together, are marked as
-- blocked. If not, they stay as they are until the next claim. Where nothing is unsettled, it is one
-- look into an index; else that look reads the entries of those groups (25 to 60 ms for 100,000
-- unsettled followers of one group).
-- Locks: those heads and followers until the end of the transaction, passing over what is locked.
-- Why it is needed: a producer may commit a follower after the job before it was finished by
-- someone who could not see the follower, and so opened nobody.
-- Why the head's lock: while it is held nobody can finish the head, and whoever does so later opens
-- the next one and sees these followers.
-- By group and not by age: the followers of a group whose head is held for long (a handler that runs
-- in its job's transaction) would else stand before all others.
-- https://dev.mysql.com/doc/refman/en/innodb-locking-reads.html
-- https://dev.mysql.com/doc/refman/en/group-by-optimization.html
-- parameters: queue text
--
-- columns: head text
-- Without a lock: a locking read that passes over a locked head would take the next one for it.
SELECT HEX((
  SELECT h.job_id FROM {schema}tq_job AS h FORCE INDEX (tq_job_group)
  WHERE h.active_q = :queue AND h.group_key = g.group_key
  ORDER BY h.group_key, h.created_at, h.job_id LIMIT 1)) AS head
FROM (
  SELECT DISTINCT j.group_key
  FROM {schema}tq_job AS j FORCE INDEX (tq_job_settle)
  WHERE j.settle_q = :queue
  LIMIT 64
) AS g
-- step
-- columns: head text, group_key text
-- By id, so that the state is judged on the row as it is once it is locked.
SELECT HEX(j.job_id) AS head, j.group_key
FROM (
  SELECT UNHEX(p.head) AS head
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    head CHAR(32) CHARACTER SET ascii PATH '$.head')) AS p
  WHERE p.head IS NOT NULL
  ORDER BY p.head
  LIMIT 64
) AS g
STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.head
WHERE j.state IN ('ready', 'running')
FOR UPDATE SKIP LOCKED
-- step
UPDATE (
    SELECT UNHEX(p.head) AS head
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      head CHAR(32) CHARACTER SET ascii PATH '$.head')) AS p
    LIMIT 64
  ) AS g
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = g.head
SET j.gate = 0
WHERE j.state = 'ready' AND j.gate <> 0
-- step
-- columns: follower text
-- The heads are open by now and so are not among them.
SELECT HEX(j.job_id) AS follower
FROM (
  SELECT p.group_key
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    group_key VARCHAR(128) CHARACTER SET utf8mb4 PATH '$.group_key')) AS p
  LIMIT 64
) AS g
STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (tq_job_settle)
  ON j.settle_q = :queue AND j.group_key = CONVERT(g.group_key USING utf8mb4) COLLATE utf8mb4_bin
LIMIT 512
FOR UPDATE SKIP LOCKED
-- step
UPDATE (
    SELECT UNHEX(p.follower) AS follower
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      follower CHAR(32) CHARACTER SET ascii PATH '$.follower')) AS p
    LIMIT 512
  ) AS f
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = f.follower
SET j.gate = 2
WHERE j.state = 'ready' AND j.gate = 1
