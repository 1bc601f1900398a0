# shellcheck shell=bash disable=SC2154  # cache and here are set by engines.sh
# postgresql.sh: PostgreSQL, for engines.sh. 15 is the version of Debian 12; 18 comes from unstable.

postgresql_programs() { echo "$cache/postgresql-$1/tree/usr/lib/postgresql/$1/bin"; }

postgresql_installed() { [ -e "$cache/postgresql-$1/complete" ]; }

postgresql_install() {
  local version=$1 suite=sid folder=$cache/postgresql-$1 program
  [ "$version" != 15 ] || suite=bookworm
  # The server is built to read the system's time zones.
  [ -e /usr/share/zoneinfo/UTC ] || "$here/../../scripts/bootstrap" zones
  rm -rf "$folder"
  mkdir -p "$folder"
  debian_unpack "$suite" "postgresql-$version" "$folder/tree"
  for program in postgres initdb psql; do
    debian_wrap "$folder/tree" "$(postgresql_programs "$version")/$program"
  done
  touch "$folder/complete"
}

postgresql_initialise() {
  local version=$1 folder=$2 programs
  programs=$(postgresql_programs "$version")
  echo tq >"$folder/password"
  give_to_server "$folder/password"
  (as_server "$folder" "$programs/initdb" --no-sync -D "$folder/data" -U postgres -E UTF8 \
    --pwfile="$folder/password" --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256)
  # Single-user mode needs no port; it takes one statement a line.
  printf '%s\n' "CREATE ROLE tq LOGIN CREATEDB CREATEROLE PASSWORD 'tq'" "CREATE DATABASE tq OWNER tq" |
    (as_server "$folder" "$programs/postgres" --single -D "$folder/data" -c fsync=off postgres)
}

postgresql_command() {
  # shellcheck disable=SC2034  # read by engines.sh
  command=("$(postgresql_programs "$1")/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1
    -c "unix_socket_directories=$2" -c timezone=UTC -c log_timezone=UTC)
}

postgresql_ready() { grep -qs '^ready' "$1/data/postmaster.pid"; }
postgresql_signal() { echo INT; }
postgresql_url() { echo "postgresql://tq:tq@127.0.0.1:$1/tq"; }
postgresql_ask() {
  PGPASSWORD=tq "$(postgresql_programs "$1")/psql" -X -h 127.0.0.1 -p "$2" -U tq -d tq -Atc 'SELECT version()' 2>&1
}
