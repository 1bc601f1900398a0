#!/usr/bin/env bash
# The worker: what the command's end does to the job, signals, and leaving nothing behind.
# shellcheck disable=SC2016 # the shells that tq starts expand these
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
expect 0 tq init

# start: starts a worker in the background and waits until its command runs.
start() {
  rm -f "$folder/pid"
  # A shell has its background jobs ignore SIGINT, so it is not sent here.
  "$tq_program" work "$@" 2>"$folder/log" &
  worker=$!
  eventually test -s "$folder/pid"
}
stopped() { wait "$worker"; equal "$1" $?; }
# gone PID: it is no more, or only a zombie that nobody has waited for yet.
gone() { eventually not_running "$1"; }
not_running() { ! grep -qE '^State:\s+[^Z]' "/proc/$1/status" 2>/dev/null; }

cat >"$folder/handle" <<'END'
echo "$TQ_QUEUE|$TQ_KIND|$TQ_JOB_ID|$TQ_GENERATION|$TQ_ATTEMPT|$(cat)" >>"$folder/runs"
case $TQ_KIND in
  good) echo "result of $TQ_JOB_ID" ;;
  dead) echo "no such customer" >&2; exit 65 ;;
  later) [ "$TQ_ATTEMPT" = 2 ] || { echo "come again" >&2; exit 75; } ;;
  fails) seq 2000 >&2; echo "the end" >&2; exit 3 ;;
  killed) kill -KILL $$ ;;
  leaves) sleep 1000 & echo $! >"$folder/left" ;;
esac
END
export folder
good=$(tq enqueue -q one good '{"n": 1}')
dead=$(tq enqueue -q one dead)
later=$(tq enqueue -q two later)
fails=$(tq enqueue -q two fails --max-attempts 1)
killed=$(tq enqueue -q one killed --max-attempts 1)
leaves=$(tq enqueue -q one leaves)
expect 0 tq work -q one -q two --drain --concurrency 3 --exec "exec sh $folder/handle"
equal "result of $good" "$out"
contains "$err" "no such customer"
equal "succeeded dead succeeded dead dead succeeded" \
  "$(for job in $good $dead $later $fails $killed $leaves; do state_of "$job"; done | paste -sd ' ')"
contains "$(<"$folder/runs")" "one|good|$good|1|1|{\"n\": 1}"
contains "$(<"$folder/runs")" "two|later|$later|2|2|{}"
contains "$(tq show "$dead")" "exit code 65: no such customer"
contains "$(tq show "$later")" "exit code 75: come again"
contains "$(tq show "$fails")" "1999 2000 the end"
contains "$(tq show "$fails")" "exit code 3: "
contains "$(tq show "$killed")" "signal 9 (Killed)"
gone "$(<"$folder/left")"

# Empty queues: nothing to drain. A database that is not there is an error.
expect 0 tq work -q none --drain --quiet --exec false
equal "" "$err"
expect 1 tq work -q none --drain --exec true --db "sqlite:///$folder/none.db"
contains "$err" "tq init"

# A database that can only be read: the worker says so and ends.
expect 1 timeout 30 "$tq_program" work -q none --quiet --exec true --db "$TQ_DATABASE_URL?mode=ro"
contains "$err" "can only be read"
tq enqueue -q readonly k >/dev/null
expect 1 timeout 30 "$tq_program" work -q readonly --quiet --exec true --db "$TQ_DATABASE_URL?mode=ro"
contains "$err" "can only be read"
expect 0 tq work -q readonly --drain --quiet --exec true

# Output that nobody takes: the worker ends, and the job is not lost.
job=$(tq enqueue -q lossy k)
equal 1 "$(tq work -q lossy --drain --exec 'echo result' >/dev/full 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "cannot pass on a command's output: No space left"
equal ready "$(state_of "$job")"
expect 0 tq work -q lossy --drain --exec 'echo result'
equal result "$out"

# Events as JSON: nothing else is on standard output, and what the command prints is not lost.
job=$(tq enqueue -q events:1 k)
expect 0 tq work -q events:1:3 --drain --quiet --json --exec 'echo printed'
equal "printed" "$err"
equal "started $job null
finished $job completed" "$(jq -r 'select(.job_id) | "\(.event) \(.job_id) \(.verb)"' <<<"$out")"
equal "events:1 k 1" "$(jq -r 'select(.event == "started") | "\(.queue) \(.kind) \(.generation)"' <<<"$out")"
equal "1 done" "$(jq -r 'select(.event == "finished") | "\(.generation) \(.outcome)"' <<<"$out")"
equal "$TQ_DATABASE_URL" "$(jq -r .database <<<"$out" | sort -u)"
tq enqueue -q events k >/dev/null
equal 1 "$(tq work -q events --drain --quiet --json --exec true >/dev/full 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "cannot pass on events: No space left"
expect 0 tq work -q events --drain --quiet --exec true

# Several databases at once.
other=sqlite:///$folder/other.db
tq init --db "$other" >/dev/null
tq enqueue -q q k >/dev/null
tq enqueue -q q k --db "$other" >/dev/null
expect 0 tq work -q q --drain --exec 'echo ran' --db "$TQ_DATABASE_URL" --db "$other"
equal $'ran\nran' "$out"

# SIGTERM: what runs may finish, what has not started is left to others.
first=$(tq enqueue -q s k)
second=$(tq enqueue -q s k)
start -q s --concurrency 1 --exec 'echo $$ >$folder/pid; while ! test -e $folder/go; do sleep 0.01; done'
kill -TERM "$worker"
touch "$folder/go"
stopped 0
equal "succeeded ready" "$(state_of "$first") $(state_of "$second")"
expect 0 tq cancel "$second"

# Two signals at once, as timeout(1) sends them, are one. They are of two sorts here, since two of
# the same might arrive as one.
rm "$folder/go"
job=$(tq enqueue -q s k)
start -q s --exec 'echo $$ >$folder/pid; while ! test -e $folder/go; do sleep 0.01; done'
kill -STOP "$worker"
kill -TERM "$worker"
kill -HUP "$worker"
kill -CONT "$worker"
eventually grep -q stopping "$folder/log"
touch "$folder/go"
stopped 0
equal succeeded "$(state_of "$job")"
lacks "$(<"$folder/log")" "ending running commands"

# A second SIGTERM: the commands are ended, and their jobs ready again with no attempt less.
job=$(tq enqueue -q h k --max-attempts 1)
start -q h --exec 'echo $$ >$folder/pid; sleep 1000'
kill -TERM "$worker"
eventually grep -q stopping "$folder/log"
# What comes at once is one with the first.
second_counts() { kill -TERM "$worker"; grep -q "ending running commands" "$folder/log"; }
eventually second_counts
stopped 0
equal ready "$(state_of "$job")"
contains "$(tq show "$job")" "1 of 2"
gone "$(<"$folder/pid")"

# The grace is over: the same.
start -q h --grace 0s --exec 'echo $$ >$folder/pid; sleep 1000'
kill -TERM "$worker"
stopped 0
equal ready "$(state_of "$job")"

# Cancelled while it runs: the whole group is ended.
start -q h --lease 1s --drain --exec 'sleep 1000 & echo $! >$folder/pid; wait'
expect 0 tq cancel "$job"
equal "$job requested" "$out"
stopped 0
equal cancelled "$(state_of "$job")"
gone "$(<"$folder/pid")"

# A worker whose commands are all busy waits; it does not look again and again.
tq enqueue -q w k >/dev/null
start -q w --concurrency 1 --drain --exec 'echo $$ >$folder/pid; sleep 3'
ticks() { awk '{print $14 + $15}' "/proc/$worker/stat"; }
before=$(ticks)
sleep 2
spent=$(($(ticks) - before))
[ "$spent" -lt 30 ] || fail "$spent ticks of CPU while nothing was to do"
stopped 0

# An empty command would complete every job without doing anything.
expect 2 tq work -q w --exec ' '

# Killed: its commands die with it.
tq enqueue -q x k >/dev/null
start -q x --exec 'sleep 1000 & echo $! >$folder/pid; wait'
kill -KILL "$worker"
wait "$worker" 2>/dev/null
gone "$(<"$folder/pid")"
finish
