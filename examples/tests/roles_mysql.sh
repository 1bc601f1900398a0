# shellcheck shell=bash disable=SC2154,SC2034  # sourced by roles.sh, whose names they are
# A role is a user here, and the schema a database.
[[ $url =~ ^mysql://([^:@/]+):([^@/]*)@([^:/]+):([0-9]+)/ ]] || {
  echo "roles.sh: wanted is mysql://user:password@host:port/database" >&2
  exit 1
}
admin=${BASH_REMATCH[1]} admin_password=${BASH_REMATCH[2]} host=${BASH_REMATCH[3]} port=${BASH_REMATCH[4]}
password=Throw-away-1
TQ_DATABASE_URL=mysql://$admin:$admin_password@$host:$port/$schema
now='UTC_TIMESTAMP(6)'
client() { # USER PASSWORD SQL
  MYSQL_PWD=$2 mariadb --no-defaults --protocol=TCP -h "$host" -P "$port" -u "$1" -N -e "$3"
}
run_sql() { client "$admin" "$admin_password" "$1"; }
as() { TQ_DATABASE_URL=mysql://tq_$1_$$:$password@$host:$port/$schema timeout 30 "$tq_program" "${@:2}"; }
sql_as() { client "tq_$1_$$" "$password" "$2"; }

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  local role
  run_sql "DROP DATABASE IF EXISTS $schema"
  for role in installer producer worker operator; do run_sql "DROP USER IF EXISTS tq_${role}_$$"; done
  rm -rf "$folder"
}
prepare() {
  local role
  if ! run_sql "CREATE USER tq_installer_$$ IDENTIFIED BY '$password'; CREATE DATABASE $schema" 2>"$folder/err"; then
    echo "roles.sh: the user of TQ_TEST_MYSQL_URL may not make databases and users: $(<"$folder/err")" >&2
    [ "${CI:-}" != true ] || exit 1
    run_sql "DROP USER IF EXISTS tq_installer_$$" 2>/dev/null || true
    exit 77
  fi
  trap clean_up EXIT
  for role in producer worker operator; do
    expect 0 run_sql "CREATE USER tq_${role}_$$ IDENTIFIED BY '$password'"
  done
  # What init needs.
  expect 0 run_sql "GRANT INSERT, SELECT, UPDATE ON $schema.* TO tq_installer_$$"
  denied as installer init
  expect 0 run_sql "GRANT CREATE ON $schema.* TO tq_installer_$$"
  expect 0 as installer init
}
apply() { # FILE
  expect 0 run_sql "$(<"$1")"
  is_mariadb || return 0
  # For what a duplicate would change it asks for UPDATE on every column, as the script says.
  denied as producer enqueue -q q k '{}'
  grep -q 'On MariaDB write UPDATE without (job_id)' "$script" || fail "the script does not say so"
  expect 0 run_sql "$(sed 's/UPDATE (job_id)/UPDATE/' "$1")"
}
is_mariadb() { [[ $(run_sql 'SELECT VERSION()') == *MariaDB* ]]; }
expect_refused() {
  expect 1 "$@"
  contains "$err" ' command denied to user'
}
producer_reads() { # payloads, too
  expect 0 as producer list
  expect 0 sql_as producer "SELECT payload FROM $schema.tq_job"
}
producer_cancels() { # on MariaDB
  if is_mariadb; then
    expect 0 tq enqueue -q spare k '{}'
    expect 0 as producer cancel --all --yes -q spare
    expect 0 run_sql "DELETE FROM $schema.tq_job WHERE queue = 'spare'"
  else
    denied as producer cancel --all --yes -q q
  fi
}
