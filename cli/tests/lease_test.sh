#!/usr/bin/env bash
# Two shells work on a queue by hand; a lease that was lost cannot be used any more.
# shellcheck disable=SC2086 # a command in a variable is several words
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
expect 0 tq init

# One claims, the other completes under the same name.
expect 0 tq enqueue -q mail welcome '{"to": "ann"}'
job=$out
expect 0 tq claim -q mail --worker ann
equal "$job" "$(member job_id)"
equal 1 "$(member generation)"
contains "$out" '"payload":{"to": "ann"}'
expect 3 tq claim -q mail --worker ben
equal "" "$out"
expect 4 tq complete "$job" 1 --worker ben
equal running "$(state_of "$job")"
expect 0 tq complete "$job" 1 --worker ann
equal "$job 1 done" "$out"
expect 0 tq complete "$job" 1 --worker ann
equal "$job 1 already" "$out"
equal succeeded "$(state_of "$job")"

# The lease ends; before anyone else has the job the owner is refused already.
expect 0 tq enqueue -q slow report --max-attempts 9
job=$out
expect 0 tq claim -q slow --lease 1ms --worker ann
sleep 0.01
for word in "complete $job 1" "extend $job 1" "fail $job 1 --error late" "snooze $job 1 --for 1s"; do
  expect 4 tq $word --worker ann
done
equal running "$(state_of "$job")"
expect 0 tq reap
equal "reaped 1" "$out"
expect 0 tq reap --json
equal '{"reaped":0}' "$out"

# Someone else has it; the old generation can do nothing, and changes nothing.
eventually tq claim -q slow --worker ben --lease 10m
equal 2 "$(member generation)"
before=$(tq show "$job" --json)
for word in "complete $job 1" "extend $job 1" "fail $job 1 --error late" "snooze $job 1 --for 1s"; do
  for worker in ann ben; do
    expect 4 tq $word --worker $worker
    equal "$job 1 lost" "$out"
  done
done
equal "$before" "$(tq show "$job" --json)"
expect 0 tq extend "$job" 2 --worker ben --lease 5m --json
equal "done" "$(member outcome)"
expect 0 tq fail "$job" 2 --worker ben --error "no route" --retry-in 0s
expect 0 tq show "$job"
contains "$out" "failure 2"
contains "$out" "by ben: no route"
contains "$out" "ready"

# Snoozed: an attempt more, later. Made dead: no further attempt.
expect 0 tq claim -q slow --worker ben
expect 0 tq snooze "$job" 3 --worker ben --for 0s
contains "$(tq show "$job")" "3 of 10"
expect 0 tq claim -q slow --worker ben
expect 0 tq fail "$job" 4 --worker ben --error "no such customer" --dead
equal dead "$(state_of "$job")"
expect 4 tq complete 00000000-0000-7000-8000-000000000000 1
equal "00000000-0000-7000-8000-000000000000 1 gone" "$out"

# A claim that cannot be printed is given back.
tq enqueue -q full k --max-attempts 1 >/dev/null
equal 1 "$(tq claim -q full >/dev/full 2>"$folder/err"; echo $?)"
expect 0 tq claim -q full
equal 2 "$(member generation)"

# In bulk: each is answered, and one that was lost makes the exit code.
tq enqueue -q bulk k >/dev/null
tq enqueue -q bulk k >/dev/null
tq claim -q bulk -n 2 | sed -E 's/.*"job_id":"([^"]*)","generation":([0-9]*).*/\1 \2/' >"$folder/leases"
sed 's/ 1$/ 7/' "$folder/leases" | head -1 >"$folder/stale"
equal 4 "$(cat "$folder/stale" "$folder/leases" | tq complete - >"$folder/out"; echo $?)"
equal "lost done done" "$(awk '{print $3}' "$folder/out" | paste -sd ' ')"
equal 0 "$(tq complete - <"$folder/leases" >"$folder/out"; echo $?)"
equal "already already" "$(awk '{print $3}' "$folder/out" | paste -sd ' ')"
equal 2 "$( { cat "$folder/leases"; echo nonsense 1; } | tq fail - --error x 2>"$folder/err"; echo $?)"
contains "$(<"$folder/err")" "line 3"
finish
