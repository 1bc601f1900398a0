#!/usr/bin/env bash
# Completion scripts and the manual: they know every command and option, and are well formed.
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
for page in "completion bash" "completion zsh" "completion fish" manual; do
  # shellcheck disable=SC2086 # two words
  tq $page >"$folder/${page##* }" || fail "no page: $page"
done
expect 2 tq completion
expect 2 tq completion tcsh
contains "$err" "bash, zsh and fish"

# options COMMAND: its long options, as its help lists them.
options() { tq "$1" --help | sed -nE 's/^  (-.,)?(--[a-z-]+).*/\2/p'; }
manual=$(sed 's/\\-/-/g; s/\\f.//g' "$folder/manual")
for command in $(command_names); do
  contains "$manual" "tq $command"
  contains "$(<"$folder/zsh")" "    '$command:"
  contains "$(<"$folder/fish")" " -a $command -d "
  for option in $(options "$command"); do
    contains "$manual" "$option"
    contains "$(<"$folder/zsh")" "$option"
    contains "$(<"$folder/fish")" " -l ${option#--} "
  done
done

# The manual has nothing that a formatter objects to, and the same source date gives the same page.
cp "$folder/manual" "$folder/tq.1" # mandoc compares the name's end with the section
expect 0 mandoc -T lint -W style "$folder/tq.1"
equal "" "$out$err"
SOURCE_DATE_EPOCH=0 tq manual >"$folder/manual"
contains "$(head -2 "$folder/manual")" ".TH TQ 1 1970-01-01"
contains "$(mandoc -T ascii "$folder/manual" | sed 's/.\x08//g')" "tq stats --watch --interval 5s"

# bash, as it calls the function: the words, the number of the one that is completed.
# shellcheck source=/dev/null
. "$folder/bash"
offered() { # WORD...: completes the last one
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _tq
  echo "${COMPREPLY[*]}"
}
equal "$(command_names | paste -sd ' ')" "$(offered tq '')"
equal "stats" "$(offered tq sta)"
equal "cancel claim complete completion" "$(offered tq c | tr ' ' '\n' | sort | paste -sd ' ')"
for command in $(command_names); do
  for option in $(options "$command"); do
    equal "$option" "$(offered tq "$command" "$option" | tr ' ' '\n' | grep -x -- "$option")"
  done
done
equal "--help" "$(offered tq --db list --he)"
equal "ready running" "$(offered tq list --state r)"
equal "ready running" "$(offered tq list --state = r)"
equal "ready running succeeded dead cancelled moved" "$(offered tq list --state =)"
equal "--state" "$(offered tq --db x list --st)"
equal "sqlite:// sqlserver://" "$(offered tq --db sq)"
equal "sqlite://" "$(offered tq list --db sqli)"
equal "" "$(offered tq list --db sqlite : ///)"
equal "" "$(offered tq list --queue '')"
equal "bash zsh fish --help" "$(offered tq completion '' | tr ' ' '\n' | grep -vE '^-h$|^--(db|json)$' | paste -sd ' ')"
touch "$folder/jobs.ndjson"
equal "$folder/jobs.ndjson" "$(offered tq enqueue --from "$folder/jo")"
contains " $(offered tq work --exec ca) " " cat "
equal "" "$(offered tq list --version)"
finish
