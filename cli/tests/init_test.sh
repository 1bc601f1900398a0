#!/usr/bin/env bash
# tq init where it is not allowed to: what to do about it.
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"

# On SQLite there are no privileges, but files.
expect 1 tq init --db "sqlite:///$folder/no-such-folder/jobs.db"
contains "$err" "unable to open"
lacks "$err" "GRANT"

sql() { psql -XAtqc "$1" "$server"; }
if [ -n "$server" ] && command -v psql >/dev/null &&
  [ "$(sql "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")" = f ]; then
  mark=tq_init_test_$$
  sql "CREATE SCHEMA $mark; REVOKE CREATE ON SCHEMA $mark FROM CURRENT_USER"
  url=$(with_parameters "$server" "tq_schema=$mark")
  expect 1 tq init --db "$url"
  contains "$err" "permission denied for schema $mark"
  contains "$err" "GRANT CREATE ON SCHEMA"
  contains "$err" "owner of the database"
  sql "GRANT CREATE ON SCHEMA $mark TO CURRENT_USER"
  expect 0 tq init --db "$url"
  sql "SET client_min_messages = error; DROP SCHEMA $mark CASCADE"
else
  echo "not run, since TQ_TEST_POSTGRESQL_URL is not set, psql is not there or the role may do everything: denied"
fi
finish
