-- Promise: nothing is left to do: BEGIN IMMEDIATE has made concurrent installers wait already, and
--   in a borrowed transaction the first CREATE takes the same lock.
--   https://www.sqlite.org/lockingv3.html
-- Locks: none of its own.
SELECT 1 WHERE false
