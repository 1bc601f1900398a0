#!/usr/bin/env bash
# engines.sh: throwaway database servers for the tests, on loopback, with durable settings.
#
#   engines.sh install [ENGINE...]   fetch and unpack the server programs; done once
#   engines.sh up      [ENGINE...]   start servers (installs first); prints `export TQ_TEST_...` lines;
#                                    one that was killed gets the data and the port that it had
#   engines.sh env                   print those lines again
#   engines.sh status                one line an engine, with the server's own version
#   engines.sh down    [ENGINE...]   stop the servers and remove their data
#   engines.sh pgbouncer             fetch PgBouncer once; prints the program's path (see with_pgbouncer)
#
#   ENGINE: postgresql-15 postgresql-18 mysql-9 mariadb-10.11; all of them by default
#
# By hand:   vars=$(engines.sh up) && eval "$vars"    then: tq init --db "$TQ_TEST_POSTGRESQL_18_URL"
#
# The programs come from Debian's archive and are unpacked into a private folder: the system gets no
# package and no service, and root is not needed. Called by root, the servers run as `nobody`.
#
#   TQ_CACHE    the programs   [root: /var/cache/tablequeue, else ~/.cache/tablequeue]
#   TQ_STATE    data, sockets, logs; another value is another set of servers
#               [/tmp/tablequeue-UID; at most 80 characters, since a socket's path is short]
#   TQ_MIRROR   the Debian mirror  [the one in the system's apt sources]
#
# A file beside this one defines, for an engine family and its VERSIONs:
#   FAMILY_install VERSION       fetch the programs into the empty folder $cache/FAMILY-VERSION
#   FAMILY_initialise VERSION D  make D/data, the data folder of a server that is not running
#   FAMILY_command VERSION D P   set `command`, which runs the server on D/data and port P
#   FAMILY_forget D              remove what a killed server left that says that it is running
#   FAMILY_ready D               whether the server, which logs to D/log, accepts connections by now
#   FAMILY_signal                print the signal that makes it stop quickly and leave nothing outside of D
#   FAMILY_url P                 print the URL for the tests; its scheme is the dialect's name
#   FAMILY_ask VERSION P         print the server's version, asking the server
set -euo pipefail
umask 022

engines=(postgresql-15 postgresql-18 mysql-9 mariadb-10.11)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "$EUID" = 0 ]; then
  server_user=nobody
  cache=${TQ_CACHE:-/var/cache/tablequeue}
else
  server_user=$(id -un)
  cache=${TQ_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tablequeue}
fi
cache=$(realpath -m "$cache") # the servers run in other folders
state=$(realpath -ms "${TQ_STATE:-/tmp/tablequeue-$EUID}")
start_seconds=90 # a loaded machine is slow

log() { printf 'engines: %s\n' "$*" >&2; }
die() { log "$*"; exit 1; }

# shellcheck source=conformance-tests/engines/debian.sh
. "$here/debian.sh"
# shellcheck source=conformance-tests/engines/postgresql.sh
. "$here/postgresql.sh"
# shellcheck source=conformance-tests/engines/mysql.sh
. "$here/mysql.sh"
# shellcheck source=conformance-tests/engines/pgbouncer.sh
. "$here/pgbouncer.sh"

# on ENGINE FUNCTION ARGUMENT...: calls the family's function for the engine's version.
on() {
  local engine=$1 function=$2
  shift 2
  "${engine%-*}_$function" "${engine##*-}" "$@"
}

# as_server FOLDER COMMAND...: becomes COMMAND, as the servers' user and in a clean environment.
as_server() {
  local folder=$1 switch=()
  shift
  if [ "$EUID" = 0 ]; then
    switch=(setpriv "--reuid=$server_user" "--regid=$(id -g "$server_user")" --clear-groups --)
  fi
  cd "$folder"
  exec "${switch[@]}" env -i "PATH=$PATH" "HOME=$folder" LC_ALL=C.UTF-8 TZ=UTC "$@"
}
give_to_server() { [ "$EUID" != 0 ] || chown -R "$server_user:$(id -g "$server_user")" "$@"; }

# A server is recorded as "PID START-TIME", so that a reused process id is never taken for it.
stat_of() { # PID: sets `words` to those of /proc/PID/stat from the third on, which is the state
  local line
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -ra words <<<"${line##*) }"
}
start_time() { # PID: prints when it started; fails for a process that has ended or is ending
  local words
  # Flag 4: it is exiting, which may take seconds. Signal 256: SIGKILL has yet to reach it.
  stat_of "$1" && [[ ${words[0]} != [ZX] ]] && ! ((words[6] & 4 || words[28] & 256)) &&
    echo "${words[19]}"
}
has_ended() { # PID START-TIME: and so has its last thread, which would hold its files and its port
  local words
  ! stat_of "$1" || [ "${words[19]}" != "$2" ] || [[ ${words[0]} == [ZX] && ${words[17]} -le 1 ]]
}
running() { # ENGINE: whether it runs; sets pid and since
  { read -r pid since <"$state/$1/pid"; } 2>/dev/null || return 1
  [ -n "$since" ] && [ "$(start_time "$pid")" = "$since" ]
}
wait_until() { # SECONDS COMMAND...
  local i
  for ((i = 0; i < $1 * 20; i++)); do
    if "${@:2}"; then return 0; fi
    sleep 0.05
  done
  return 1
}

port_used() { # PORT
  local used
  printf -v used ':%04X ' "$1"
  grep -qs "$used" /proc/net/tcp /proc/net/tcp6
}
free_port() { # prints a port that no socket uses and no engine of this set has
  local port
  while :; do
    port=$((20000 + RANDOM % 8000))
    if ! port_used "$port" && ! cat "$state"/*/port 2>/dev/null | grep -qx "$port"; then break; fi
  done
  echo "$port"
}

# A data folder is made anew when what makes it has changed.
made_by() { cat "$here"/*.sh | cksum | cut -d ' ' -f 1; }
template_of() { echo "$cache/$1/template-$server_user-$(made_by)"; } # ENGINE

installed() { [ -e "$cache/$1/complete" ]; }

# The programs and, for each engine, a data folder to copy are made once.
prepare() { # ENGINE
  local template
  template=$(template_of "$1")
  if ! installed "$1"; then
    rm -rf "${cache:?}/$1"
    mkdir "$cache/$1"
    on "$1" install
    touch "$cache/$1/complete"
  fi
  [ ! -d "$template" ] || return 0
  rm -rf "$cache/$1/template-$server_user"*
  mkdir "$template.new"
  give_to_server "$template.new"
  on "$1" initialise "$template.new" >"$cache/$1/log" 2>&1 ||
    { tail -n 20 "$cache/$1/log" >&2; die "$1: cannot make a data folder; its log: $cache/$1/log"; }
  # Logs that a server has yet to fill are zeros, which a copy need not write.
  cp -a --sparse=always "$template.new" "$template.sparse"
  rm -rf "$template.new"
  mv "$template.sparse" "$template"
}

start() { # ENGINE
  local engine=$1 folder=$state/$1 port attempt pid since
  ! running "$engine" || return 0
  if [ -d "$folder/data" ]; then
    log "$engine: has ended by itself; starting it on the data that it left"
    port=$(cat "$folder/port")
  else
    rm -rf "$folder"
    mkdir "$folder"
    give_to_server "$folder"
    port=$(free_port)
    echo "$port" >"$folder/port"
    cp -a --reflink=auto "$(template_of "$engine")/data" "$folder/data.new"
    mv "$folder/data.new" "$folder/data"
  fi
  for attempt in 1 2 3; do # another program may take the port before the server does
    launch "$engine" "$port"
    if running "$engine"; then
      log "$engine: up on 127.0.0.1:$port"
      return 0
    fi
    log "$engine: attempt $attempt failed: $(grep -E -m 1 'ERROR|FATAL|PANIC' "$folder/log")"
    port_used "$port" || break
    port=$(free_port)
  done
  tail -n 20 "$folder/log" >&2
  die "$engine: did not start; its log: $folder/log"
}
launch() { # ENGINE PORT: after that it runs and answers, or it has ended
  local engine=$1 folder=$state/$1 port=$2 command pid since
  stop "$engine"
  "${engine%-*}_forget" "$folder"
  [ ! -e "$folder/log" ] || mv "$folder/log" "$folder/log.previous"
  echo "$port" >"$folder/port"
  on "$engine" command "$folder" "$port"
  (as_server "$folder" setsid "${command[@]}") >"$folder/log" 2>&1 </dev/null 9>&- &
  pid=$!
  echo "$pid $(start_time "$pid")" >"$folder/pid"
  wait_until "$start_seconds" answered "$engine" || stop "$engine"
}
answered() { ! running "$1" || "${1%-*}_ready" "$state/$1"; } # it is ready, or it has ended

stop() { # ENGINE: ends all of its processes
  local pid='' since child words
  if running "$1"; then
    kill "-$("${1%-*}_signal")" "$pid" || true
    wait_until 20 has_ended "$pid" "$since" || { log "$1: does not stop, killing it"; kill -KILL "$pid"; }
  fi
  [ -z "$pid" ] || wait_until 20 has_ended "$pid" "$since" || die "$1: process $pid cannot be ended"
  # Children of a killed server may outlive it, and would write to its data beside the next server.
  for child in /proc/[0-9]*; do
    child=${child#/proc/}
    if runs_from "$1" "$child" && stat_of "$child"; then
      kill -KILL "$child" || true
      wait_until 20 has_ended "$child" "${words[19]}" || die "$1: process $child cannot be ended"
    fi
  done
}
runs_from() { # ENGINE PID: whether that is a program of the engine, in its data folder
  [ "/proc/$2/cwd" -ef "$state/$1/data" ] && [[ $(readlink "/proc/$2/exe") == "$cache/$1/"* ]]
}

lock_state() { # the folder must be ours, not one that someone else put into /tmp
  [ ${#state} -le 80 ] || die "TQ_STATE is too long: $state"
  mkdir -p "$state"
  if [ -L "$state" ] || [ ! -O "$state" ]; then die "$state belongs to someone else"; fi
  chmod 711 "$state"
  exec 9>"$state/lock"
  flock -w 300 9 || die "another engines.sh is busy in $state"
}

lock_cache() {
  mkdir -p "$cache" || die "cannot write $cache (set TQ_CACHE)"
  exec 8>"$cache/lock"
  flock -w 900 8 || die "another engines.sh is installing"
}

install() {
  local engine
  lock_cache
  for engine; do prepare "$engine"; done
  exec 8>&-
}

up() {
  local engine
  install "$@"
  lock_state
  for engine; do start "$engine"; done
  env_lines
}

env_lines() { # TQ_TEST_FAMILY_VERSION_URL for each server, TQ_TEST_DIALECT_URL for all of a dialect
  local engine dialect name url
  local -A urls=()
  for engine in "${engines[@]}"; do
    if running "$engine"; then
      name=${engine//[-.]/_}
      url=$("${engine%-*}_url" "$(cat "$state/$engine/port")")
      echo "export TQ_TEST_${name^^}_URL='$url'"
      dialect=${url%%:*}
      urls[$dialect]+="${urls[$dialect]:+ }$url"
    fi
  done
  for dialect in "${!urls[@]}"; do echo "export TQ_TEST_${dialect^^}_URL='${urls[$dialect]}'"; done
}

status() {
  local engine pid port
  for engine in "${engines[@]}"; do
    if running "$engine"; then
      port=$(cat "$state/$engine/port")
      echo "$engine: up, process $pid, 127.0.0.1:$port, $(on "$engine" ask "$port")"
    elif [ -d "$state/$engine/data" ]; then
      echo "$engine: has ended by itself; \`up\` starts it on the data that it left"
    elif installed "$engine"; then
      echo "$engine: down"
    else
      echo "$engine: not installed"
    fi
  done
}

down() {
  local engine
  [ -d "$state" ] || return 0
  lock_state
  for engine; do
    [ -d "$state/$engine" ] || continue
    stop "$engine"
    rm -rf "${state:?}/$engine"
    log "$engine: down"
  done
}

verb=${1:-}
[ $# = 0 ] || shift
for engine; do
  case " ${engines[*]} " in *" $engine "*) ;; *) die "unknown engine: $engine (known: ${engines[*]})" ;; esac
done
[ $# -gt 0 ] || set -- "${engines[@]}"
case $verb in
install | up | down) "$verb" "$@" ;;
env) env_lines ;;
status) status ;;
pgbouncer) lock_cache && pgbouncer_program ;;
*)
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
  ;;
esac
