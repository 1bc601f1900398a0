#!/usr/bin/env bash
# The examples of every help page do what they say: each is taken from the page and run, in a folder
# and a database of its own, and ends with exit code 0. What stands in for the user's world:
#
#   TQ_DATABASE_URL   a SQLite database with ready jobs in the queues mail and reports, a running
#                     job of this owner, and a dead one
#   JOB_ID GENERATION the running job and its claim's generation; for requeue the dead job
#   send-mail, ./handle-job, generate, ...   scripts made below
#   postgresql://app@localhost/shop   a schema on the first server of TQ_TEST_POSTGRESQL_URL;
#                     without one such an example is named as not run
#
# What goes on until it is stopped (a worker without --drain, --watch) gets a Ctrl-C soon.
# shellcheck disable=SC2016 # the scripts that are made expand these
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
unset COLUMNS
home=$folder/home
mkdir -p "$home" "$folder/bin"
ln -s "$tq_program" "$folder/bin/tq"
export PATH=$folder/bin:$PATH TQ_WORKER=me TQ_DATABASE_URL=sqlite:///jobs.db

stand_in() { # NAME COMMAND
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
stand_in "$folder/bin/send-mail" '[ -n "$1" ] || read -r address'
stand_in "$folder/bin/send-all" cat
stand_in "$folder/bin/generate" "echo '{\"payload\": {\"to\": \"bob\"}}'"
stand_in "$folder/bin/less" cat
stand_in "$folder/bin/man" 'cat >/dev/null'
stand_in "$home/handle-job" 'cat >/dev/null'
echo '{"to": "ann"}' >"$home/letter.json"
echo '{"queue": "mail", "kind": "welcome"}' >"$home/jobs.ndjson"

cd "$home" || exit 1
tq init >/dev/null
tq enqueue -q letters welcome >/dev/null
tq claim -q letters >"$folder/claimed" || fail "no job to claim"
out=$(<"$folder/claimed") running=$(member job_id) generation=$(member generation)
dead=$(tq enqueue -q mail newsletter)
tq claim -q mail >/dev/null
tq fail "$dead" 1 --error "no such customer" --dead >/dev/null
for queue in mail reports; do tq enqueue -q $queue welcome '{"to": "ann@example.org"}' >/dev/null; done

# examples COMMAND...: the examples of its help page, one a line; what goes on is indented further.
examples() {
  tq "$@" --help | awk '
    /^Examples:/ { inside = 1; next }
    inside && !NF { inside = 0 }
    inside && /^    / { sub(/^ +/, " "); printf "%s", $0; next }
    inside { sub(/^  /, ""); printf "%s%s", (count++ ? "\n" : ""), $0 }
    END { if (count) print "" }'
}

run_example() { # EXAMPLE
  local example=$1 job=$running code limit=(timeout 20)
  case $example in
  *://app@localhost*)
    if [ -z "$server" ] || ! command -v psql >/dev/null || [[ $example != *postgresql://* ]]; then
      echo "not run, for want of a server (TQ_TEST_POSTGRESQL_URL) or of psql: $example"
      return
    fi
    example=$(sed -E "s|postgresql://app@localhost/shop[^ ]*|'${url//&/\\&}'|" <<<"$example")
    ;;
  esac
  case $example in "tq requeue"*) job=$dead ;; esac
  case $example in
  *--drain*) ;;
  "tq work "* | *--watch*) limit=(timeout --preserve-status -s INT 0.7) ;;
  esac
  example=${example//JOB_ID/$job}
  example=${example//GENERATION/$generation}
  rm -rf "$folder/run"
  cp -r "$home" "$folder/run"
  (cd "$folder/run" && "${limit[@]}" bash -o pipefail -c "$example" >"$folder/out" 2>"$folder/err" </dev/null)
  code=$?
  [ $code = 0 ] || fail "exit code $code: $1 [$(tail -n 3 "$folder/out")] [$(tail -n 3 "$folder/err")]"
  ran=$((ran + 1))
}

schema=tq_examples_$$
url=$(with_parameters "$server" "tq_schema=$schema")
if [ -n "$server" ] && command -v psql >/dev/null; then
  psql -qc "CREATE SCHEMA $schema" "$server"
  trap 'psql -qc "SET client_min_messages = error; DROP SCHEMA $schema CASCADE" "$server"; rm -rf "$folder"' EXIT
fi

ran=0
for command in "" $(command_names); do
  # shellcheck disable=SC2086 # no command is no argument
  examples $command >"$folder/examples"
  [ -s "$folder/examples" ] || fail "no example in the help of tq $command"
  contains "$(<"$folder/examples")" "tq $command"
  while IFS= read -r example <&3; do run_example "$example"; done 3<"$folder/examples"
done
echo "$ran examples"
[ "$ran" -ge 30 ] || fail "only $ran examples were found"

# The test itself notices a bad example.
before=$failures
run_example "tq show no-such-job" 2>/dev/null
[ "$failures" = $((before + 1)) ] || fail "a bad example passed"
failures=$before
finish
