-- Promise: installers come one after another: CREATE … IF NOT EXISTS alone fails when two run it at
-- once.
-- Locks: an advisory lock with a number of our own, until the end of the transaction.
-- https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
SELECT pg_advisory_xact_lock(8390880602276355429)
