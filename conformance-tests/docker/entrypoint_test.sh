#!/usr/bin/env bash
# entrypoint_test.sh FOLDER-OF-THE-PROGRAMS: what the container of the service `suite` does, without Docker, on
# SQLite and on the servers of TQ_TEST_POSTGRESQL_URL and TQ_TEST_MYSQL_URL where they are named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$1" && pwd):$PATH
TQ_REPORT=$(mktemp -d)
export PATH TQ_REPORT
fake=$(mktemp -d)
trap 'rm -rf "$TQ_REPORT" "$fake"' EXIT
bad=0

expect_of() { # PROGRAM EXIT-CODE TEXT ARGUMENT...
  local code=0 output
  output=$("$here/$1" "${@:4}" 2>&1) || code=$?
  if [ "$code" != "$2" ] || [[ $output != *"$3"* ]]; then
    echo "$1 ${*:4}: exit code $code instead of $2, or without \"$3\": $output"
    bad=1
  fi
}
expect() { expect_of entrypoint "$@"; } # EXIT-CODE TEXT ARGUMENT...
checks() { # ENGINE PAIR: the suite on ENGINE, whose report has PAIR
  echo "checking $1"
  expect 0 "report: $TQ_REPORT/report.md" "$1" '--gtest_filter=Claim.CLM_6*'
  grep -q "^- .$2.*: $1 [0-9]" "$TQ_REPORT/report.md" || { echo "$1: not in the report"; bad=1; }
}

# What a run of all tests requires is not for one engine at a time.
unset TQ_REQUIRE TQ_REQUIRE_VERSIONS
export TQ_WAIT_SECONDS=1
expect 2 'unknown engine: db2; there are: postgresql mysql mariadb sqlite sqlserver oracle' db2
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

# Engines that cannot be had here: what is asked for, by programs that only tell.
program() { printf '#!/usr/bin/env bash\n%s\n' "$2" >"$fake/$1" && chmod +x "$fake/$1"; } # NAME TEXT
with() { PATH=$fake:$PATH "$@"; }
listed='Pairs of a driver and a dialect:\n  libpq_postgresql  postgresql:// TQ\n  odbc_sqlserver  sqlserver+odbc:// TQ\n'
# shellcheck disable=SC2016 # for the program
program tq-conformance 'if [ "$1" = --help ]; then printf "'"$listed"'\n"; else echo "$*"; fi'
program tq 'echo "round trip 1 ms"'
program odbcinst 'printf "[FreeTDS]\n[ODBC Driver 18 for SQL Server]\n"'
program getent true
freetds='driver=FreeTDS&TDS_Version=7.4&ClientCharset=UTF-8'
microsoft='driver=ODBC%20Driver%2018%20for%20SQL%20Server&TrustServerCertificate=yes'
url=sqlserver+odbc://sa@sqlserver:1433/tablequeue
with expect 0 "--report $TQ_REPORT --url $url?$freetds --url $url?$microsoft --url ${url}_rcsi?$freetds --url ${url}_rcsi?$microsoft --verbose" \
  sqlserver --verbose
program odbcinst 'printf "[PostgreSQL Unicode]\n[FreeTDS]\n"'
TQ_SQLSERVER=me@host/own with expect 0 "--report $TQ_REPORT --url sqlserver+odbc://me@host/own?$freetds" sqlserver
program tq 'echo "connection failed"; exit 1'
TQ_WAIT_SECONDS=1 with expect 2 'docker compose up -d --wait sqlserver' sqlserver
# Nobody waits for a host that has no name.
# shellcheck disable=SC2016 # for the program
program getent 'case $2 in known | ::1) ;; *) exit 2 ;; esac'
TQ_WAIT_SECONDS=60 with expect 2 'there is no host sqlserver, on which sqlserver should be: docker compose run --rm suite-sqlserver' \
  sqlserver
TQ_WAIT_SECONDS=60 TQ_POSTGRESQL='me:p@[::2]:1/db' with expect 2 'no host ::2, on which postgresql should be: docker compose up -d --wait postgresql' \
  postgresql
for place in me@known:1/db 'me@[::1]/db' me@known '%2Frun%2Fhere/db' 'me@%2Frun:1/db?application_name=a@b' /db; do
  TQ_WAIT_SECONDS=1 TQ_POSTGRESQL=$place with expect 2 'postgresql takes no queries' postgresql
done
program getent true
program odbcinst 'exit 1'
with expect 2 'nothing here reaches sqlserver: there is no ODBC driver for it' sqlserver
with expect 2 'nothing here reaches oracle: the suite has no pair for it' postgresql oracle
listed+='  odbc_oracle  oracle+odbc:// TQ\n'
# shellcheck disable=SC2016 # for the program
program tq-conformance 'if [ "$1" = --help ]; then printf "'"$listed"'\n"; else echo "$*"; fi'
with expect 2 'nothing here reaches oracle: there is no ODBC driver for it' oracle
program odbcinst 'echo "[Oracle 23 ODBC driver]"'
program getent 'exit 2'
with expect 2 'docker compose run --rm suite-oracle' oracle
program getent true
program tq 'echo "round trip 1 ms"'
with expect 0 "--report $TQ_REPORT --url oracle+odbc://system@oracle:1521/FREEPDB1" oracle

# What came from a vendor, and is not what it should be, is not unpacked.
program apt-get true
# shellcheck disable=SC2016 # for the program
program curl 'while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"'
program gpg 'echo fpr:::::::::0123456789ABCDEF:'
program unzip 'echo unpacked'
with expect_of install-odbc 1 'unknown vendor: ibm' microsoft ibm
with expect_of install-odbc 1 'the key that came is another one' microsoft
program dpkg 'echo amd64'
with expect_of install-odbc 1 'other archives came than those of these sums' oracle
program dpkg 'echo arm64'
with expect_of install-odbc 1 'for amd64 alone, and this is arm64' oracle

# The container's root becomes the one whose folder is mounted.
if [ "$EUID" = 0 ]; then
  user=$(id -u nobody)
  [ "$("$here/as-owner-of" "$TQ_REPORT" id -u)" = "$user" ] || { echo "as-owner-of: not as nobody"; bad=1; }
  chown 1234:1234 "$TQ_REPORT"
  [ "$("$here/as-owner-of" "$TQ_REPORT" id -u)" = 1234 ] || { echo "as-owner-of: not as the owner"; bad=1; }
fi
exit $bad
