# shellcheck shell=bash
# roles.sh TQ ROLES.sql POSTGRESQL_URL: the script runs, and its roles may do what docs/operations.md
# says and no more. In a schema and with roles of its own, which it drops.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
script=$2
url=$3
schema=tq_roles_$$
[[ $url == *\?* ]] && separator='&' || separator='?'
export TQ_DATABASE_URL=$url${separator}tq_schema=$schema
run_sql() { PGOPTIONS='-c client_min_messages=warning' psql -XqAt -v ON_ERROR_STOP=1 "$url" "$@"; }
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  run_sql -c "DROP SCHEMA $schema CASCADE"
  run_sql -c "DROP ROLE tq_producer_$$" -c "DROP ROLE tq_worker_$$" -c "DROP ROLE tq_operator_$$"
  rm -rf "$folder"
}
trap clean_up EXIT

may='SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user'
if [ "$(run_sql -c "$may")" != t ]; then
  echo "roles.sh: the role of TQ_TEST_POSTGRESQL_URL may not create roles" >&2
  [ "${CI:-}" != true ] || exit 1
  trap 'rm -rf "$folder"' EXIT
  exit 77
fi
expect 0 tq init
sed -E "s/\bjobs\b/$schema/g; s/\btq_(producer|worker|operator)\b/&_$$/g" "$script" >"$folder/roles.sql"
expect 0 run_sql --file "$folder/roles.sql"
expect 0 run_sql -c "GRANT tq_producer_$$, tq_worker_$$, tq_operator_$$ TO CURRENT_USER"

# as ROLE COMMAND...: tq in a session of that role.
as() { PGOPTIONS="-c role=tq_$1_$$" timeout 30 "$tq_program" "${@:2}"; }
expect 0 as producer enqueue -q q k '{}' --unique u --group g
expect 0 as producer enqueue -q q k '{}' --unique u # refused by the key
expect 0 run_sql -c "SET ROLE tq_producer_$$" -c "INSERT INTO $schema.tq_job (queue, kind, payload,
  priority, run_at, max_attempts, unique_key, group_key)
  VALUES ('q', 'k', '{}', 1, now(), 5, 'v', 'g') ON CONFLICT DO NOTHING"
expect 1 as producer list
expect 1 as producer claim -q q
expect 1 as producer work -q q --quiet --exec true # it may never, so it does not try for ever
contains "$err" 'permission denied'

expect 1 as worker enqueue -q q k '{}'
expect 1 as worker pause q
expect 0 as worker work -q q --drain --quiet --exec 'exit 65'
expect 0 as worker reap
equal 2 "$(tq list --state dead --json | wc -l)"

expect 1 as operator enqueue -q q k '{}'
expect 0 as operator stats
expect 0 as operator pause q
expect 0 as operator resume q
expect 0 as operator requeue --all --yes -q q --extra-attempts 1
expect 0 as operator cancel --all --yes -q q
expect 0 as operator purge --older-than 0s
contains "$out" 'purged 2 cancelled'
finish
