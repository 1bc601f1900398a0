# shellcheck shell=bash
# enqueue_sql.sh TQ EXAMPLE.sql [POSTGRESQL_URL]: a producer in plain SQL, run by the real shell of
# the database; then tq works the jobs.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
example=$2
if [ $# = 3 ]; then
  schema=tq_example_sql_$$
  postgresql=$3
  [[ $postgresql == *\?* ]] && separator='&' || separator='?'
  TQ_DATABASE_URL=$postgresql${separator}tq_schema=$schema
  identity='integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY'
  shell() { PGOPTIONS="-c search_path=$schema" psql -XqAt -v ON_ERROR_STOP=1 "$postgresql" "$@"; }
  run_example() { shell --file "$example"; }
  trap 'shell -c "SET client_min_messages = warning; DROP SCHEMA $schema CASCADE"; rm -rf "$folder"' EXIT
else
  identity='INTEGER PRIMARY KEY'
  shell() { sqlite3 -bail "$folder/jobs.db" "${@:2}"; }
  run_example() { sqlite3 "$folder/jobs.db" <"$example"; }
fi
ask() { shell -c "$1"; }

expect 0 tq init
expect 0 ask "CREATE TABLE orders (id $identity, item text NOT NULL)"
expect 0 ask 'CREATE TABLE stock (item text PRIMARY KEY, pieces integer CHECK (pieces >= 0))'
expect 0 ask "INSERT INTO stock VALUES ('lamp', 1)"

# There is one lamp: the first order is stored with its jobs, the second leaves nothing behind.
expect 0 run_example
equal '1|lamp' "$(ask 'SELECT id, item FROM orders')"
equal 2 "$(ask 'SELECT count(*) FROM tq_job')"
run_example >"$folder/out" 2>&1 && fail 'an order for a lamp that is not there was stored'
equal 1 "$(ask 'SELECT count(*) FROM orders')"
equal 2 "$(ask 'SELECT count(*) FROM tq_job')"

# With another lamp the order is stored; the reminder is there already and its key refuses a second.
expect 0 ask 'UPDATE stock SET pieces = 1'
expect 0 run_example
equal 2 "$(ask 'SELECT count(*) FROM orders')"
equal 'charge|2 reminder|1' \
  "$(ask 'SELECT kind, count(*) FROM tq_job GROUP BY kind ORDER BY kind' | paste -sd ' ')"
equal '5|reminder 7|customer 7|10|ready' "$(ask "SELECT priority, unique_key, group_key, max_attempts, state
  FROM tq_job WHERE kind = 'reminder'")"

# tq works them. The payloads tell which orders were charged.
# shellcheck disable=SC2016  # the command is expanded by the shell of the job
expect 0 tq work -q billing -q mail --drain --quiet --exec 'tr -d " "; echo " $TQ_KIND"'
wanted=$(ask 'SELECT id FROM orders' | sed 's/.*/{"order":&} charge/'; echo '{"customer":7} reminder')
equal "$(sort <<<"$wanted")" "$(sort <<<"$out")"
equal 3 "$(ask "SELECT count(*) FROM tq_job WHERE state = 'succeeded'")"
finish
