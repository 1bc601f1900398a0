# shellcheck shell=bash disable=SC2154  # cache and here are set by engines.sh
# postgresql.sh: PostgreSQL, for engines.sh. 15 is the version of Debian 12; 18 comes from unstable.

postgresql_programs() { echo "$cache/postgresql-$1/tree/usr/lib/postgresql/$1/bin"; }

postgresql_install() {
  local version=$1 suite=sid tree=$cache/postgresql-$1/tree program
  [ "$version" != 15 ] || suite=bookworm
  # The server is built to read the system's time zones.
  [ -e /usr/share/zoneinfo/UTC ] || "$here/../../scripts/bootstrap" zones
  debian_unpack "$suite" "$tree" "postgresql-$version" "postgresql-client-$version"
  for program in postgres initdb psql; do
    debian_wrap "$tree" "$(postgresql_programs "$version")/$program"
  done
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

# Shared memory is in files of the data folder, so that a server that was killed leaves none outside.
postgresql_command() {
  # shellcheck disable=SC2034  # read by engines.sh
  command=("$(postgresql_programs "$1")/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1
    -c "unix_socket_directories=$2" -c dynamic_shared_memory_type=mmap -c timezone=UTC
    -c log_timezone=UTC)
}

postgresql_ready() { grep -qs '^ready' "$1/data/postmaster.pid"; }
postgresql_forget() { rm -f "$1/data/postmaster.pid" "$1"/.s.PGSQL.*; }
postgresql_signal() { echo QUIT; } # no last checkpoint, for data that `down` throws away
postgresql_url() { echo "postgresql://tq:tq@127.0.0.1:$1/tq"; }
postgresql_ask() {
  PGPASSWORD=tq "$(postgresql_programs "$1")/psql" -X -h 127.0.0.1 -p "$2" -U tq -d tq -Atc 'SELECT version()' 2>&1
}
