# shellcheck shell=bash
# roles.sh TQ ROLES.sql URL: the script runs, and its roles may do what docs/operations.md says and no more. The server
# is one of PostgreSQL, MySQL or MariaDB; schema, roles and users are the test's own, which it drops.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
script=$2
url=$3
schema=tq_roles_$$
# shellcheck source=examples/tests/roles_postgresql.sh
# shellcheck source=examples/tests/roles_mysql.sh
. "$(dirname "$0")/roles_${url%%:*}.sh"

# as ROLE COMMAND...: tq in a session of that role. sql_as ROLE SQL: an application's own statement.
# denied COMMAND...: refused by the server, and said so.
denied() {
  expect 1 "$@"
  contains "$err" ' denied '
}

prepare
expect 0 tq init
sed -E "s/\bjobs\b/$schema/g; s/\btq_(producer|worker|operator)\b/&_$$/g" "$script" >"$folder/roles.sql"
apply "$folder/roles.sql"

# Something to purge, and something to reap: where there is nothing to change, nothing is refused.
for queue in ended lost over; do
  expect 0 tq enqueue -q "$queue" k '{}'
  expect 0 tq claim -q "$queue" --worker w --json
  [ "$queue" = lost ] || expect 0 tq complete "$(member job_id)" 1 --worker w
done
expect 0 run_sql "UPDATE $schema.tq_job SET lease_until = lease_until - INTERVAL '1' HOUR WHERE queue = 'lost'"

expect 0 as producer enqueue -q q k '{"of": "the producer"}' --unique u --group g
expect 0 as producer enqueue -q q k '{}' --unique u # refused by the key
expect 0 sql_as producer "INSERT INTO $schema.tq_job (queue, kind, payload, priority, run_at, max_attempts, unique_key,
  group_key) VALUES ('q', 'k', '{}', 1, $now, 5, 'v', 'g')"
producer_reads
denied as producer claim -q q
denied as producer work -q q --quiet --exec true # it may never, so it does not try for ever
denied as producer reap
denied as producer pause q
producer_cancels
denied as producer purge --older-than 0s
equal 5 "$(tq list --json | wc -l)"
for role in producer worker operator; do expect_refused sql_as "$role" "DROP TABLE $schema.tq_failure"; done

denied as worker enqueue -q q k '{}'
denied as worker pause q
expect 0 as worker purge --older-than 0s -q over
contains "$out" 'purged 1 succeeded'
expect 0 as worker claim -q q --worker w --json
id=$(member job_id) generation=$(member generation)
expect 0 as worker extend "$id" "$generation" --worker w --lease 5m
expect 0 as worker snooze "$id" "$generation" --worker w --for 0s
expect 0 as worker claim -q q --worker w --json
generation=$(member generation)
expect 0 as worker complete "$id" "$generation" --worker w
equal succeeded "$(state_of "$id")"
# The other one fails for good; its failure is written down. It is of the same group, so it waited.
expect 0 as worker work -q q --drain --quiet --exec 'exit 65'
expect 0 as worker reap
equal 'reaped 1' "$out"
equal 1 "$(tq list --state dead --json | wc -l)"

denied as operator enqueue -q q k '{}'
expect 0 as operator stats
expect 0 as operator list
expect 0 as operator pause q
expect 0 as operator resume q
expect 0 as operator requeue --all --yes -q q --extra-attempts 1
expect 0 as operator cancel --all --yes -q q
expect 0 as operator purge --older-than 0s
contains "$out" 'purged 2 succeeded'
contains "$out" 'purged 1 cancelled'
finish
