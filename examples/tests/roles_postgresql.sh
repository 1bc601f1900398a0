# shellcheck shell=bash disable=SC2154,SC2034  # sourced by roles.sh, whose names they are
TQ_DATABASE_URL=$(with_parameters "$url" "tq_schema=$schema")
now='now()'
psql_quietly() { PGOPTIONS='-c client_min_messages=warning' psql -XqAt -v ON_ERROR_STOP=1 "$url" "$@"; }
run_sql() { psql_quietly -c "$1"; }
as() { PGOPTIONS="-c role=tq_$1_$$" timeout 30 "$tq_program" "${@:2}"; }
sql_as() { psql_quietly -c "SET ROLE tq_$1_$$" -c "$2"; }

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  run_sql "DROP SCHEMA IF EXISTS $schema CASCADE"
  run_sql "DROP ROLE IF EXISTS tq_producer_$$, tq_worker_$$, tq_operator_$$"
  rm -rf "$folder"
}
prepare() {
  local may='SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user'
  if [ "$(run_sql "$may")" != t ]; then
    echo "roles.sh: the role of TQ_TEST_POSTGRESQL_URL may not create roles" >&2
    [ "${CI:-}" != true ] || exit 1
    exit 77
  fi
  trap clean_up EXIT
}
apply() { # FILE
  expect 0 psql_quietly --file "$1"
  expect 0 run_sql "GRANT tq_producer_$$, tq_worker_$$, tq_operator_$$ TO CURRENT_USER"
}
expect_refused() { # not by the product
  expect 1 "$@"
  [[ $err == *'must be owner of table'* || $err == *'permission denied for table'* ]] || fail "not refused: $err"
}
producer_reads() { # no payload
  denied as producer list
  expect_refused sql_as producer "SELECT payload FROM $schema.tq_job"
  expect 0 sql_as producer "SELECT job_id, state FROM $schema.tq_job"
}
producer_cancels() { denied as producer cancel --all --yes -q q; }
