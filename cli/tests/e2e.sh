# shellcheck shell=bash
# Sourced by the scripts beside it: bash NAME_test.sh PATH_OF_TQ. Each gets a database of its own.
set -u
tq_program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TQ_DATABASE_URL=sqlite:///$folder/jobs.db
unset TQ_DATABASE_PASSWORD TQ_WORKER
failures=0

tq() { "$tq_program" "$@"; }

fail() {
  echo "FAILED line ${BASH_LINENO[1]}: $*" >&2
  failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it; its output is in $out, its errors in $err.
expect() {
  local code=$1 got
  shift
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  got=$?
  out=$(<"$folder/out") err=$(<"$folder/err")
  [ "$got" = "$code" ] || fail "expected exit code $code, got $got: $* [$out] [$err]"
}

# equal WANTED GOT, contains TEXT PART, lacks TEXT PART
equal() { [ "$1" = "$2" ] || fail "expected [$1], got [$2]"; }
contains() { case $1 in *"$2"*) ;; *) fail "expected [$2] in [$1]" ;; esac }
lacks() { case $1 in *"$2"*) fail "did not expect [$2] in [$1]" ;; esac }

# A PostgreSQL server, the first of those named; empty: none.
server=${TQ_TEST_POSTGRESQL_URL:-}
server=${server%% *}
# with_parameters URL NAME=VALUE[&NAME=VALUE...]
with_parameters() { case $1 in *\?*) echo "$1&$2" ;; *) echo "$1?$2" ;; esac; }

# member NAME: its value in the first line of $out, a text or a number.
member() { sed -nE "1s/.*\"$1\":\"?([^\",}]*).*/\1/p" <<<"$out"; }
state_of() { tq show "$1" --json | sed -nE 's/.*"state":"([a-z]*)".*/\1/p'; }

# The name of every command, as the help lists them under their groups.
command_names() {
  tq --help | awk '/^Examples:/ { exit } /^(Options:|[A-Z].*:)$/ { listed = $1 != "Options:"; next }
    listed && /^  [a-z]/ { print $1 }'
}

# Repeats a command until it succeeds; what is waited for takes a few seconds at most.
eventually() {
  local _
  for _ in $(seq 300); do
    "$@" >"$folder/out" 2>"$folder/err" && { out=$(<"$folder/out"); return; }
    sleep 0.1
  done
  fail "never succeeded: $*"
}

finish() {
  [ "$failures" = 0 ] || { echo "$failures failures" >&2; exit 1; }
}
