#!/usr/bin/env bash
# entrypoint_test.sh FOLDER-OF-THE-PROGRAMS: what the container of the service `suite` does, without Docker, on
# SQLite and on the servers of TQ_TEST_POSTGRESQL_URL and TQ_TEST_MYSQL_URL where they are named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$1" && pwd):$PATH
TQ_REPORT=$(mktemp -d)
export PATH TQ_REPORT
trap 'rm -rf "$TQ_REPORT"' EXIT
bad=0

expect() { # EXIT-CODE TEXT ARGUMENT...: of the entrypoint
  local code=0 output
  output=$("$here/entrypoint" "${@:3}" 2>&1) || code=$?
  if [ "$code" != "$1" ] || [[ $output != *"$2"* ]]; then
    echo "entrypoint ${*:3}: exit code $code instead of $1, or without \"$2\": $output"
    bad=1
  fi
}
checks() { # ENGINE PAIR: the suite on ENGINE, whose report has PAIR
  echo "checking $1"
  expect 0 "report: $TQ_REPORT/report.md" "$1" '--gtest_filter=Claim.CLM_6*'
  grep -q "^- .$2.*: $1 [0-9]" "$TQ_REPORT/report.md" || { echo "$1: not in the report"; bad=1; }
}

# What a run of all tests requires is not for one engine at a time.
unset TQ_REQUIRE TQ_REQUIRE_VERSIONS
export TQ_WAIT_SECONDS=1
expect 2 'no ODBC driver for sqlserver yet, whose dialect no server has run; it can reach: postgresql mysql mariadb sqlite' sqlserver
expect 2 'no ODBC driver for oracle yet' sqlite oracle
expect 2 'unknown engine: db2' db2
TQ_POSTGRESQL=nobody@127.0.0.1:1/none expect 2 'docker compose up -d --wait postgresql' postgresql
TQ_MARIADB=nobody@127.0.0.1:1/none expect 2 'mariadb takes no queries: connection' sqlite mariadb

export TQ_WAIT_SECONDS=30
checks sqlite sqlite3_sqlite
read -ra servers <<<"${TQ_TEST_POSTGRESQL_URL:-}"
[ ${#servers[@]} = 0 ] || TQ_POSTGRESQL=${servers[0]#*://} checks postgresql libpq_postgresql
read -ra servers <<<"${TQ_TEST_MYSQL_URL:-}"
for server in "${servers[@]}"; do
  case $(tq doctor --db "$server" | grep '^server version') in
  *MariaDB*) TQ_MARIADB=${server#*://} checks mariadb mysql_mariadb ;;
  *) TQ_MYSQL=${server#*://} checks mysql mysql_mysql ;;
  esac
done

# The container's root becomes the one whose folder is mounted.
if [ "$EUID" = 0 ]; then
  user=$(id -u nobody)
  [ "$("$here/as-owner-of" "$TQ_REPORT" id -u)" = "$user" ] || { echo "as-owner-of: not as nobody"; bad=1; }
  chown 1234:1234 "$TQ_REPORT"
  [ "$("$here/as-owner-of" "$TQ_REPORT" id -u)" = 1234 ] || { echo "as-owner-of: not as the owner"; bad=1; }
fi
exit $bad
