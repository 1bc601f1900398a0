-- Promise: makes the jobs that claim_pick.sql has locked running, as it gave them back.
-- Locks: nothing new but the entries of their indexes. A second claim of the same group may wait for
-- this transaction at the unique index tq_job_running, or be refused by it.
-- Their state needs no second look: a locking read gives the row as it is, not as a snapshot has it.
--   https://dev.mysql.com/doc/refman/en/innodb-consistent-read.html
-- parameters: worker text
UPDATE (
    SELECT UNHEX(REPLACE(p.job_id, '-', '')) AS job_id, p.lease_until
    FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
      job_id CHAR(36) CHARACTER SET ascii PATH '$.job_id',
      lease_until BIGINT PATH '$.lease_until')) AS p
    LIMIT 1000
  ) AS p
  STRAIGHT_JOIN {schema}tq_job AS j FORCE INDEX (PRIMARY) ON j.job_id = p.job_id
SET
  j.state = 'running',
  j.attempts = j.attempts + 1,
  j.worker_id = :worker,
  j.lease_until = TIMESTAMPADD(MICROSECOND, p.lease_until, TIMESTAMP '1970-01-01 00:00:00'),
  j.last_outcome = NULL
