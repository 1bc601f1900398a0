#!/usr/bin/env bash
# engines.sh: throwaway database servers for the tests, on loopback, with durable settings.
#
#   engines.sh install [ENGINE...]   fetch and unpack the server programs; done once
#   engines.sh up      [ENGINE...]   start servers (installs first); prints `export TQ_TEST_...` lines
#   engines.sh env                   print those lines again
#   engines.sh status                one line an engine, with the server's own version
#   engines.sh down    [ENGINE...]   stop the servers and remove their data
#
#   ENGINE: postgresql-15 postgresql-18; all of them by default
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
# An engine family is one file beside this one, which defines for its VERSIONs:
#   FAMILY_install VERSION       fetch the programs into $cache/FAMILY-VERSION
#   FAMILY_installed VERSION     whether that is done
#   FAMILY_initialise VERSION D  make D/data, the data folder of a server that is not running
#   FAMILY_command VERSION D P   set `command`, which runs the server on D/data and port P
#   FAMILY_ready D               whether the server accepts connections by now
#   FAMILY_signal                print the signal that makes it stop quickly and cleanly
#   FAMILY_url P                 print the URL for the tests
#   FAMILY_ask VERSION P         print the server's version, asking the server
set -euo pipefail
umask 022

engines=(postgresql-15 postgresql-18)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "$EUID" = 0 ]; then
  server_user=nobody
  cache=${TQ_CACHE:-/var/cache/tablequeue}
else
  server_user=$(id -un)
  cache=${TQ_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tablequeue}
fi
state=${TQ_STATE:-/tmp/tablequeue-$EUID}
start_seconds=90 # a loaded machine is slow

log() { printf 'engines: %s\n' "$*" >&2; }
die() { log "$*"; exit 1; }

# shellcheck source=conformance-tests/engines/debian.sh
. "$here/debian.sh"
# shellcheck source=conformance-tests/engines/postgresql.sh
. "$here/postgresql.sh"

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
start_time() { # PID: prints when it started; fails for a process that is gone or a zombie
  local line
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  line=${line##*) } # what follows the name: the state, and as the 20th word the start time
  # shellcheck disable=SC2086  # split into words
  set -- $line
  [ "$1" != Z ] && [ "$1" != X ] && echo "${20}"
}
running() { # ENGINE: whether it runs; sets pid
  local since
  { read -r pid since <"$state/$1/pid"; } 2>/dev/null || return 1
  [ "$(start_time "$pid")" = "$since" ]
}
wait_until() { # SECONDS COMMAND...
  local i
  for ((i = 0; i < $1 * 20; i++)); do
    if "${@:2}"; then return 0; fi
    sleep 0.05
  done
  return 1
}
stopped() { ! running "$1"; }

free_port() { # prints a port that no socket uses and no engine of this set has
  local port used
  while :; do
    port=$((20000 + RANDOM % 8000))
    printf -v used ':%04X ' "$port"
    if ! grep -qs "$used" /proc/net/tcp /proc/net/tcp6 &&
      ! cat "$state"/*/port 2>/dev/null | grep -qx "$port"; then
      break
    fi
  done
  echo "$port"
}

# The programs and, for each engine, a data folder to copy are made once.
prepare() { # ENGINE
  local template=$cache/$1/template-$server_user
  on "$1" installed || on "$1" install
  [ ! -d "$template" ] || return 0
  rm -rf "$template.new"
  mkdir "$template.new"
  give_to_server "$template.new"
  on "$1" initialise "$template.new" >"$cache/$1/log" 2>&1 ||
    { tail -n 20 "$cache/$1/log" >&2; die "$1: cannot make a data folder"; }
  mv "$template.new" "$template"
}

start() { # ENGINE
  local engine=$1 folder=$state/$1 port attempt command pid
  ! running "$engine" || return 0
  rm -rf "$folder"
  mkdir "$folder"
  give_to_server "$folder"
  cp -a --reflink=auto "$cache/$engine/template-$server_user/data" "$folder/data"
  for attempt in 1 2 3; do # another program may take the port before the server does
    port=$(free_port)
    echo "$port" >"$folder/port"
    on "$engine" command "$folder" "$port"
    (as_server "$folder" setsid "${command[@]}") >"$folder/log" 2>&1 </dev/null 9>&- &
    pid=$!
    echo "$pid $(start_time "$pid")" >"$folder/pid"
    wait_until "$start_seconds" answered "$engine" || stop "$engine"
    if running "$engine"; then
      log "$engine: up on 127.0.0.1:$port"
      return 0
    fi
    log "$engine: attempt $attempt failed: $(tail -n 1 "$folder/log")"
  done
  tail -n 20 "$folder/log" >&2
  die "$engine: did not start"
}
answered() { ! running "$1" || "${1%-*}_ready" "$state/$1"; } # it is ready, or it has ended

stop() { # ENGINE
  local pid
  running "$1" || return 0
  kill "-$("${1%-*}_signal")" "$pid"
  if ! wait_until 20 stopped "$1"; then
    log "$1: does not stop, killing it"
    kill -KILL "$pid"
    wait_until 20 stopped "$1"
  fi
}

lock_state() { # the folder must be ours, not one that someone else put into /tmp
  [ ${#state} -le 80 ] || die "TQ_STATE is too long: $state"
  mkdir -p "$state"
  if [ -L "$state" ] || [ ! -O "$state" ]; then die "$state belongs to someone else"; fi
  chmod 711 "$state"
  exec 9>"$state/lock"
  flock -w 300 9 || die "another engines.sh is busy in $state"
}

install() {
  local engine
  mkdir -p "$cache" || die "cannot write $cache (set TQ_CACHE)"
  exec 8>"$cache/lock"
  flock -w 900 8 || die "another engines.sh is installing"
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

env_lines() { # TQ_TEST_FAMILY_VERSION_URL for each server, TQ_TEST_FAMILY_URL for all of them
  local engine family name url
  local -A urls=()
  for engine in "${engines[@]}"; do
    if running "$engine"; then
      family=${engine%-*}
      name=${engine//-/_}
      url=$("${family}_url" "$(cat "$state/$engine/port")")
      echo "export TQ_TEST_${name^^}_URL='$url'"
      urls[$family]+="${urls[$family]:+ }$url"
    fi
  done
  for family in "${!urls[@]}"; do echo "export TQ_TEST_${family^^}_URL='${urls[$family]}'"; done
}

status() {
  local engine pid port
  for engine in "${engines[@]}"; do
    if running "$engine"; then
      port=$(cat "$state/$engine/port")
      echo "$engine: up, process $pid, 127.0.0.1:$port, $(on "$engine" ask "$port")"
    elif on "$engine" installed; then
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
*)
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
  ;;
esac
