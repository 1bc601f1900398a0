#!/bin/sh
# worker.sh QUEUE COMMAND [ARGUMENT...]: a worker in POSIX shell, step by step. Needs tq, jq and ps.
#
# `tq work --exec` does all of this and more. The steps are the same in any language that can start
# a program. The command gets the payload on standard input; SIGTERM ends the worker after its job.
set -u
queue=$1
shift
lease=${LEASE_SECONDS:-60}
TQ_WORKER=$(uname -n)-$$ # who holds the claims: every tq below reads it
export TQ_WORKER
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
stop=
trap 'stop=yes' INT TERM

# [quote]
# Exit code 1 says that the database gave no answer, so nobody knows whether the step was taken.
# Asking again is safe: the same step of the same claim, taken already, is answered with 0.
until_answered() { # TQ COMMAND...
  for pause in 1 2 4 8 0; do
    tq "$@"
    answer=$?
    [ "$answer" = 1 ] || break
    sleep "$pause"
  done
  return "$answer"
}

# While the command runs, its lease is made longer each third of it. 4: it is lost, so stop. A worker
# that was killed must lose its lease, so without it as the parent process nothing is extended.
keep_lease() { # JOB_ID GENERATION PROCESS
  trap 'kill "$nap"; exit' TERM
  self=$(exec sh -c 'echo "$PPID"')
  while sleep "$((lease / 3))" & nap=$!; wait "$nap"; do
    [ "$(ps -o ppid= -p "$self")" -eq $$ ] && kill -0 "$3" || return
    tq extend "$1" "$2" --lease "${lease}s"
    [ $? != 4 ] || { kill "$3"; return; }
  done
}

work_on() { # JOB_ID GENERATION COMMAND...
  job=$1 generation=$2
  shift 2
  tq show "$job" --payload >"$folder/payload" || return 0
  TQ_JOB_ID=$job "$@" <"$folder/payload" 2>"$folder/errors" &
  process=$!
  keep_lease "$job" "$generation" "$process" >/dev/null 2>&1 &
  keeper=$!
  wait "$process"
  code=$?
  while kill -0 "$process" 2>/dev/null; do wait "$process"; code=$?; done # a signal ends a wait
  kill "$keeper" 2>/dev/null
  if [ "$code" = 0 ]; then
    until_answered complete "$job" "$generation"
  else
    until_answered fail "$job" "$generation" --error "exit code $code: $(tail -c 1000 "$folder/errors")"
  fi
  # 4: the lease was lost. Another worker has the job, or will; what the command did, it does again.
  [ $? != 4 ] || echo "lost: $job $generation" >&2
}

while [ -z "$stop" ]; do
  claimed=$(tq claim --queue "$queue" --lease "${lease}s")
  case $? in
  0)
    # shellcheck disable=SC2046  # two words
    work_on $(printf '%s\n' "$claimed" | jq -r '"\(.job_id) \(.generation)"') "$@"
    ;;
  3) tq reap >/dev/null; sleep 1 ;; # nothing is due; jobs of dead workers go back
  *) sleep 5 ;;                     # the database does not answer
  esac
done
# [/quote]
