#!/usr/bin/env bash
# Every command as a new user meets it: help, wrong usage, exit codes, passwords, broken outputs.
# shellcheck disable=SC2086 # a command in a variable is several words
# shellcheck disable=SC2059 # printf writes what its format says
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
commands=$(command_names | paste -sd ' ')
id=00000000-0000-7000-8000-000000000000

expect 0 tq
contains "$out" "tq COMMAND --help"
expect 0 tq --help
for command in $commands; do contains "$out" "  $command "; done
for command in $commands; do
  expect 0 tq $command --help
  contains "$out" "Usage: tq $command"
  contains "$out" "Examples:"
  contains "$out" "  tq $command"
  equal "" "$err"
  expect 2 tq $command --no-such-option
  equal "" "$out"
  contains "$err" "Try: tq $command --help"
done
expect 0 tq --version
contains "$out" "tq "
expect 2 tq nonsense
contains "$err" "there is no command 'nonsense'"
expect 2 tq --nonsense
contains "$err" "there is no option '--nonsense'"
# What is wrong is said in the words of the command line: COMMAND|MESSAGE
while IFS='|' read -r command message; do
  expect 2 tq $command
  contains "$err" "tq: $message"
  equal "" "$out"
done <<'END'
nonsense list|there is no command 'nonsense'
list --stat ready|there is no option '--stat'
list extra|'extra' was not expected here
list -q a -q b|--queue is given more than once
list -q|--queue needs a value
list -n 99999999999999999999|--limit: '99999999999999999999' is not a whole number from 0 to
enqueue -q q k --priority 1.5|--priority: '1.5' is not a whole number from -10 to 10
work -q q --exec true -c 0|--concurrency: '0' is not a whole number from 1 to 1000
work -q q:0 --exec true|--queue: the weight in 'q:0' is not from 1 to 100
work -q q|--exec is required
claim -q q --lease 5|--lease: '5' is not a duration
list --state none|--state: 'none' is no state; there are ready,
END
expect 2 tq claim -q q --worker ""
contains "$err" "--worker: it is empty"
expect 2 env TQ_DATABASE_URL=jobs.db "$tq_program" list
contains "$err" "TQ_DATABASE_URL, is not a database URL"

# Bad input is told before a database is looked for.
while IFS= read -r command; do
  expect 2 tq $command --db sqlite:///none.db
  contains "$err" "tq: "
done <<'END'
enqueue -q q k {
enqueue -q q k [1e999]
enqueue -q q k --priority 1 -- [1,]
END
for name in ' q' $'q\xff'; do expect 2 tq enqueue -q "$name" k --db sqlite:///none.db; done
expect 2 tq enqueue -q q k --unique "" --db sqlite:///none.db
contains "$err" "unique_key: is empty"
expect 1 tq enqueue -q q k --db sqlite:///none.db

# Before the tables are there, every command says what to run.
needs="list|stats|show $id|claim -q q|enqueue -q q k|complete $id 1|fail $id 1 --error e|snooze $id 1 --for 1s"
needs="$needs|extend $id 1|cancel $id|requeue $id|pause q|resume q|purge --older-than 1d|reap|work -q q --exec true"
while IFS= read -r -d '|' command; do
  expect 1 tq $command
  contains "$err" "tq init --db '$TQ_DATABASE_URL'"
done <<<"$needs|"
expect 1 test -e "$folder/jobs.db"
expect 0 tq init --print
contains "$out" "CREATE TABLE"
expect 1 test -e "$folder/jobs.db"
expect 0 tq init
contains "$out" "installed version"
expect 0 tq init
contains "$out" "already at version"
expect 0 tq init --json
contains "$out" '"from":'

# Texts that are none.
expect 2 tq enqueue --from ""
contains "$err" "cannot read ''"
for text in $'\xff' $'a\xc3'; do
  expect 2 tq stats -q "$text"
  contains "$err" "not valid UTF-8"
done

# A database without the tables: the same.
for command in list "work -q q --exec true"; do
  expect 1 tq $command --db "sqlite:///$folder/empty.db?mode=rwc"
  contains "$err" "run tq init --db 'sqlite:///$folder/empty.db?mode=rwc'"
done

# Nothing there: 3. Wrong input: 2, and the message says what would be right.
expect 3 tq claim -q q
expect 3 tq show $id
expect 3 tq cancel $id
expect 3 tq requeue $id
expect 4 tq complete $id 1
expect 4 tq extend $id 1
expect 0 tq list
expect 0 tq list --json
equal "" "$out"
expect 0 tq stats
for command in "claim" "claim -q q --lease 5" "claim -q q --lease -1s" "claim -q q -n 0" "claim -q q -n 1001" \
  "claim -q a -q b" "enqueue -q q" "enqueue k" "enqueue -q q k {" "enqueue -q q k {} extra" \
  "enqueue -q q k --priority 11" "enqueue -q q k --priority x" "enqueue -q q k --delay 1" \
  "enqueue -q q k --delay 1s --run-at 2026-01-01T00:00:00Z" "enqueue -q q k --run-at today" \
  "enqueue -q q k --max-attempts 0" "complete" "complete $id" "complete $id x" "complete $id 0" \
  "complete 17 1" "complete - 1" "fail $id 1" "fail $id 1 --error e --retry-in 1s --dead" "snooze $id 1" \
  "show" "show nonsense" "list --state none" "list --after x" "list -n -1" "cancel" "cancel x" \
  "cancel $id --all" "cancel -q q" "requeue $id --extra-attempts 0" "purge" \
  "purge --older-than 1d --state ready" "pause" "work -q q" "work --exec true" \
  "work -q q --exec true -c 0" "work -q q --exec true --lease 0s" "work -q q --exec true --purge-after 7" \
  "list --db jobs.db" \
  "list --db mongodb://host/db" "list --db sqlite+libpq:///x" "list --db sqlite:///x?tq_schema=A" "list --db sqlite:///x?tq_schema=jobs" \
  "list --db $TQ_DATABASE_URL --db sqlite:///other.db"; do
  expect 2 tq $command
  equal "" "$out"
  contains "$err" "tq: "
done
expect 2 tq work -q q --exec true --purge-after 36501d
contains "$err" "purge_after: is 36501d; it must be 0s to 36500d"
expect 0 tq work -q q --exec true --drain --quiet --purge-after 0s
expect 2 tq enqueue -q "" k
expect 2 tq enqueue -q q ""
expect 2 tq enqueue -q q k ""
expect 2 env -u TQ_DATABASE_URL "$tq_program" list
contains "$err" "TQ_DATABASE_URL"

# Payloads that a parser of options could misread.
for payload in '[1,2]' '[]' '{}' '""' '"{}"' 'null' '0'; do
  expect 0 tq enqueue -q p k "$payload"
  expect 0 tq show "$out" --payload
  equal "$payload" "$out"
done
expect 0 tq enqueue -q list fail '"stats"' # names of commands are names like others
expect 0 tq enqueue -q p k --priority -5 -- -7
expect 0 tq show "$out"
contains "$out" "payload              -7"
for text in '{"from": "stdin"}' '{"from": "stdin"}\n' '\r\n[1,\n2]\r\n\n'; do
  printf "$text" >"$folder/payload"
  job=$(tq enqueue -q p k - <"$folder/payload")
  tq show "$job" --payload | cmp - "$folder/payload" || fail "another payload: $text"
done

# Ids: a unique beginning is enough to show, and only to show.
job=$(tq enqueue -q p k --unique u)
expect 0 tq enqueue -q p k --unique u
equal "$job" "$out"
contains "$err" "not stored"
expect 0 tq enqueue -q p k --unique u --json
contains "$out" '"inserted":false'
expect 0 tq show "${job:0:35}"
expect 2 tq show "${job:0:4}"
contains "$err" "several jobs begin with"
expect 2 tq cancel "${job:0:35}"

# Operators.
expect 0 tq pause p
expect 3 tq claim -q p
contains "$(tq stats)" "p (paused)"
expect 0 tq resume p
expect 2 tq cancel --all -q p
contains "$err" "add --yes"
equal ready "$(state_of "$job")"
expect 0 tq cancel --all -q p --yes
equal 0 "$(tq list -q p --state ready --json | wc -l)"
expect 0 tq cancel --all -q p --yes
expect 0 tq cancel "$job"
equal "$job finished" "$out"
expect 1 tq requeue "$job"
equal "$job not_dead" "$out"
expect 0 tq purge --older-than 0s
contains "$out" "purged 12 cancelled"
expect 0 tq purge --older-than 1d --state dead --state moved --state dead
equal $'purged 0 dead\npurged 0 moved' "$out"
expect 0 tq engines
contains "$out" "sqlite3"
expect 0 tq engines --json
contains "$out" '"driver":"sqlite3"'

# Dead jobs by filter.
for kind in a b; do
  tq enqueue -q d $kind --unique $kind >/dev/null
  tq claim -q d >"$folder/claimed"
  out=$(<"$folder/claimed")
  tq fail "$(member job_id)" 1 --error e --dead >/dev/null
done
expect 0 tq enqueue -q d b --unique b
holder=$out
expect 0 tq requeue --all -q d --kind a --yes --extra-attempts 2
contains "$out" "requeued"
contains "$(tq show "${out% *}")" "1 of 3"
expect 1 tq requeue --all -q d --yes
contains "$out" "held by $holder"

# Results that cannot be written, closed streams.
equal 1 "$(tq list >/dev/full 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "cannot write the results: No space left"
for command in --help --version "list --help" "completion bash" manual engines; do
  equal 1 "$(tq $command >/dev/full 2>"$folder/err"; echo $?)"
  contains "$(<"$folder/err")" "cannot write the results: No space left"
done
equal 1 "$(tq list >&- 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "cannot write the results"
equal 0 "$(tq enqueue -q p k >/dev/null 2>&-; echo $?)"
for command in "enqueue -q p k -" "enqueue --from -" "complete -"; do
  equal 2 "$(tq $command <"$folder" 2>"$folder/err"; echo $?)"
  contains "$(<"$folder/err")" "cannot read standard input"
done

# Passwords are shown nowhere.
for url in postgresql://me:geheim@127.0.0.1:1/db "postgresql://127.0.0.1:1/db?password=geheim" \
  mongodb://me:geheim@host/db "host=127.0.0.1 password=geheim" "postgresql+odbc://me:geheim@host/db" \
  "postgresql://me:geheim@[::1/db" "postgresql://me:geheim@127.0.0.1:x/db"; do
  for command in list init "work -q q --exec true"; do
    ! tq $command --db "$url" >"$folder/out" 2>"$folder/err" || fail "expected no success: $command"
    lacks "$(<"$folder/out")$(<"$folder/err")" geheim
  done
done
for command in "postgresql://me:geheim@h/db list" "list postgresql://me:geheim@h/db" \
  "list --url=postgresql://me:geheim@h/db" "list --after postgresql://me:geheim@h/db" \
  "work -q q --exec true -c postgresql://me:geheim@h/db"; do
  expect 2 tq $command
  lacks "$out$err" geheim
done
TQ_DATABASE_PASSWORD=geheim tq list --db postgresql://me@127.0.0.1:1/db >"$folder/out" 2>&1
lacks "$(<"$folder/out")" geheim
finish
