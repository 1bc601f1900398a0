#!/usr/bin/env bash
# tq stats --watch: on a terminal, in a pipe, through a lost connection.
# shellcheck disable=SC2016 # the terminal's shell expands these
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
export tq_program folder
escape=$'\x1b'
export TERM=xterm
tq init >/dev/null
for kind in a b c; do tq enqueue -q one $kind >/dev/null; done
tq work -q one --drain --quiet --exec true
tq enqueue -q two k >/dev/null

# The rate is that of the last ten seconds; jobs that finished before do not count.
expect 0 tq stats --json
contains "$out" '"queue":"one","paused":false,"ready":0'
contains "$out" '"rate":0.300000,"succeeded":3'
contains "$out" '"rate":0.000000,"succeeded":0'

# interrupted SECONDS COMMAND...: gets Ctrl-C then.
interrupted() { timeout --foreground --preserve-status -s INT "$@"; }

# Not a terminal: a table each time, or a line for each queue, and no escape codes.
expect 0 interrupted 1 "$tq_program" stats --watch --interval 200ms
lacks "$out" "$escape"
[ "$(grep -c '^one ' <<<"$out")" -ge 3 ] || fail "too few looks: $out"
expect 0 interrupted 1 "$tq_program" stats -w --interval 200ms --json -q one
[ "$(wc -l <<<"$out")" -ge 3 ] || fail "too few looks: $out"
equal "" "$(grep -v '^{"at":"[-0-9T:.Z]*","queue":"one".*}$' <<<"$out")"
equal 0 "$(timeout --preserve-status -s TERM 1 "$tq_program" stats --watch >/dev/null; echo $?)"
equal 1 "$(timeout 5 "$tq_program" stats --watch --interval 100ms >/dev/full 2>/dev/null; echo $?)"

# A terminal: drawn over in one place, fitted to its size, and left as it was.
on_terminal() { script -qec "$1" /dev/null </dev/null >"$folder/screen" 2>&1; }
on_terminal 'stty cols 40 rows 4; timeout --foreground --preserve-status -s INT 1 "$tq_program" stats --watch --interval 200ms; echo "code $?"'
screen=$(<"$folder/screen")
contains "$screen" "${escape}[?1049h"
contains "$screen" "${escape}[?25h${escape}[?1049l"
contains "$screen" "code 0"
contains "$screen" "… 2 more lines"
contains "$screen" "QUEUE  READY"
lacks "$screen" "SUCCEEDED"
lacks "$screen" "${escape}[2J"
[ "$(grep -o "${escape}\[J" "$folder/screen" | wc -l)" -ge 3 ] || fail "not drawn again"

# When it grows, the rest is shown at once, however long the interval is.
on_terminal 'stty cols 40 rows 4; (sleep 0.5; stty cols 160 rows 20 </dev/tty) & timeout --foreground --preserve-status -s INT 1 "$tq_program" stats --watch --interval 1h'
contains "$(<"$folder/screen")" "SUCCEEDED"

# JSON is not drawn over, and colours that are not welcome are no reason to stop drawing.
on_terminal 'timeout --foreground --preserve-status -s INT 0.5 "$tq_program" stats --watch --json'
lacks "$(<"$folder/screen")" "$escape"

# Signals that end it otherwise leave the terminal as it was, too.
for signal in HUP:1 QUIT:3; do
  on_terminal "ulimit -c 0; timeout --foreground --preserve-status -s ${signal%:*} 0.5 \"\$tq_program\" stats --watch; echo \"code \$?\""
  screen=$(<"$folder/screen")
  contains "$screen" "${escape}[?1049h"
  contains "$screen" "${escape}[?25h${escape}[?1049l"
  contains "$screen" "code $((128 + ${signal#*:}))"
done

# A terminal that knows no escape codes is sent none.
seq 1000 | sed 's/.*/{"kind":"k"}/' >"$folder/jobs"
for terminal in TERM=dumb -uTERM; do
  on_terminal "env $terminal timeout --foreground --preserve-status -s INT 0.5 \"\$tq_program\" stats --watch --interval 100ms"
  contains "$(<"$folder/screen")" "QUEUE"
  lacks "$(<"$folder/screen")" "$escape"
  for command in bogus doctor 'enqueue -q three --from "$folder/jobs"' 'work -q three --drain --exec true'; do
    on_terminal "env $terminal COLORTERM=truecolor \"\$tq_program\" $command"
    [ -s "$folder/screen" ] || fail "nothing was shown: $command"
    lacks "$(<"$folder/screen")" "$escape"
  done
done
on_terminal '"$tq_program" bogus'
contains "$(<"$folder/screen")" "${escape}[31mtq:"

# Limits, and what makes no sense.
for interval in 0s 99ms 25h 2; do expect 2 tq stats --watch --interval $interval; done
expect 2 tq stats --interval 2s
contains "$err" "--watch"
expect 1 timeout 5 "$tq_program" stats --watch --db "sqlite:///$folder/none.db"
contains "$err" "tq init"

# A connection that is lost while it watches is made again.
more_looks() { [ "$(wc -l <"$folder/looks")" -gt "$1" ]; }
if [ -n "$server" ] && command -v psql >/dev/null; then
  mark=tq_watch_test_$$
  psql -qc "CREATE SCHEMA $mark" "$server"
  url=$(with_parameters "$server" "application_name=$mark&tq_schema=$mark")
  tq init --db "$url" >/dev/null
  tq enqueue -q one k --db "$url" >/dev/null
  "$tq_program" stats --watch --json --interval 100ms --db "$url" >"$folder/looks" 2>"$folder/errors" &
  watch=$!
  eventually test -s "$folder/looks"
  psql -qAtc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '$mark'" \
    "$server" >/dev/null
  eventually grep -q "trying again" "$folder/errors"
  eventually more_looks "$(wc -l <"$folder/looks")"
  kill -TERM $watch
  wait $watch
  equal 0 $?
  psql -qc "SET client_min_messages = error; DROP SCHEMA $mark CASCADE" "$server"
else
  echo "not run, since TQ_TEST_POSTGRESQL_URL is not set or psql is not there: the lost connection"
fi
finish
