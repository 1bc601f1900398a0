#!/usr/bin/env bash
# What is said on standard error when nobody can hear it: the exit code stands all the same.
# shellcheck disable=SC2086 # a command in a variable is several words
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
tq init >/dev/null
tq enqueue -q q k --unique u >/dev/null
tq enqueue -q q k >/dev/null

# EXIT CODE|COMMAND, each with a message to write.
while IFS='|' read -r code command; do
  equal "$code $command" "$(tq $command >"$folder/out" 2>&-; echo $?) $command"
  equal "$code $command" "$(tq $command >"$folder/out" 2>/dev/full; echo $?) $command"
done <<'END'
2|bogus
2|list --bogus
2|claim
2|enqueue -q q k {
1|stats --db sqlite:///nope.db
1|work -q q --exec true --db sqlite:///nope.db
3|show 00000000
0|enqueue -q q k --unique u
0|list -n 1
0|work -q q --drain --exec true
END
tq list -n 1 >"$folder/out" 2>&-
contains "$(<"$folder/out")" "succeeded"

# Neither the results nor the message can be written.
equal 1 "$(tq stats >/dev/full 2>&1; echo $?)"
equal 1 "$(tq stats >&- 2>&-; echo $?)"
tq enqueue -q q k >/dev/null
equal 1 "$(tq claim -q q >/dev/full 2>/dev/full; echo $?)"
equal 1 "$(timeout 5 "$tq_program" stats --watch --interval 100ms >/dev/full 2>&1; echo $?)"
finish
