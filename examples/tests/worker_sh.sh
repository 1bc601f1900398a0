# shellcheck shell=bash
# worker_sh.sh TQ: the worker in shell completes, fails, keeps its lease, hears that it was lost,
# takes back what a dead worker held, loses its lease when it is killed, and ends after its job on
# SIGTERM.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
example=$(cd "$(dirname "$0")/.." && pwd)/worker.sh
mkdir "$folder/bin"
ln -s "$(realpath "$tq_program")" "$folder/bin/tq"
PATH=$folder/bin:$PATH
export tests=$folder
# A program, since the shell between here and the command passes no functions on.
cat >"$folder/bin/ask" <<'ASK'
#!/bin/sh
exec sqlite3 -cmd '.timeout 20000' "$tests/jobs.db" "$1"
ASK
chmod +x "$folder/bin/ask"
past='CAST(unixepoch() AS INTEGER) * 1000000 - 1000000'

# What the worker runs: the payload says what to do. No lease would last without being extended.
cat >"$folder/command" <<'COMMAND'
#!/usr/bin/env bash
read -r what
echo "$what" >>"$tests/ran"
case $what in
'"fail"') echo 'no route' >&2; exit 7 ;;
'"long"') # until the lease ends later than it did
  lease="SELECT lease_until FROM tq_job WHERE job_id = '$TQ_JOB_ID'"
  first=$(ask "$lease")
  until [ "$(ask "$lease")" -gt "$first" ]; do sleep 0.1; done
  ;;
'"killed"') # the first run does not end
  [ "$(ask "SELECT attempts FROM tq_job WHERE job_id = '$TQ_JOB_ID'")" = 2 ] || {
    echo $$ >"$tests/process"
    exec sleep 120
  }
  ;;
'"lose"') # at the first run the lease ends under it
  ask "UPDATE tq_job SET lease_until = 1 WHERE job_id = '$TQ_JOB_ID' AND attempts = 1"
  [ "$(ask "SELECT attempts FROM tq_job WHERE job_id = '$TQ_JOB_ID'")" = 2 ] || exec sleep 60
  ;;
esac
COMMAND
chmod +x "$folder/command"
is() { [ "$(ask "SELECT state FROM tq_job WHERE kind = '$1'")" = "$2" ] || { make_due; false; }; }
make_due() { ask "UPDATE tq_job SET run_at = $past WHERE state = 'ready'"; } # no waiting for a backoff

expect 0 tq init
expect 0 tq enqueue -q q dead-worker '"took over"'
expect 0 tq claim -q q --worker gone
ask 'UPDATE tq_job SET lease_until = 1'
for what in good long lose; do expect 0 tq enqueue -q q "$what" "\"$what\""; done
expect 0 tq enqueue -q q fail '"fail"' --max-attempts 1
LEASE_SECONDS=6 "$example" q "$folder/command" >/dev/null 2>"$folder/log" &
worker=$!
trap 'kill "$worker" 2>/dev/null; rm -rf "$folder"' EXIT

eventually is good succeeded
eventually is long succeeded
eventually is fail dead
eventually is dead-worker succeeded
eventually is lose succeeded
equal 'exit code 7: no route' "$(ask "SELECT last_error FROM tq_job WHERE kind = 'fail'")"
equal 2 "$(grep -c lose "$folder/ran")"
contains "$(<"$folder/log")" "lost: $(ask "SELECT job_id || ' 1' FROM tq_job WHERE kind = 'lose'")"

# Killed while its command runs on: nobody extends the lease any more, and another worker does it.
expect 0 tq enqueue -q k killed '"killed"'
LEASE_SECONDS=3 "$example" k "$folder/command" >/dev/null 2>&1 &
killed=$!
trap 'kill "$worker" "$killed" $(cat "$folder/process") 2>/dev/null; rm -rf "$folder"' EXIT
eventually test -s "$folder/process"
kill -KILL "$killed"
wait "$killed" 2>/dev/null
reaped() { tq reap && [ "$(ask "SELECT state FROM tq_job WHERE kind = 'killed'")" = ready ]; }
eventually reaped
kill "$(cat "$folder/process")"
LEASE_SECONDS=6 "$example" k "$folder/command" >/dev/null 2>&1 &
killed=$!
eventually is killed succeeded
kill -TERM "$killed"
wait "$killed"
equal 0 $?
equal 2 "$(grep -c killed "$folder/ran")"

# SIGTERM: the job in hand is done, the next one is left.
expect 0 tq enqueue -q q last '"long"'
eventually is last running
kill -TERM "$worker"
expect 0 tq enqueue -q q later '"good"'
wait "$worker"
equal 0 $?
equal 'succeeded ready' "$(ask "SELECT state FROM tq_job WHERE kind LIKE 'la%' ORDER BY kind" | paste -sd ' ')"
finish
