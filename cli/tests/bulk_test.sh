#!/usr/bin/env bash
# Many jobs at once: all or nothing, by line; what is listed can be enqueued again.
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
expect 0 tq init
jobs=$folder/jobs.ndjson

# A bad third job, of each sort, stores nothing and is named by its line.
for bad in '{"queue":"q","kind":"k","payload":{"a":}}' '{"queue":"q","kind":"k","priority":11}' \
  '{"queue":"q","kind":"k","prio":1}' '{"queue":" q","kind":"k"}' '{"kind":"k"}' 'x' '[]' \
  '{"queue":"q","kind":"k","payload":1e400}' '{"queue":"q","kind":"k","payload":"\ud800"}' \
  '{"queue":"q","kind":"k","run_at":"2026-01-01T00:00:00Z","delay":"1s"}' \
  '{"queue":"q","kind":"k","delay":"5"}' '{"queue":"q","queue":"r","kind":"k"}'; do
  printf '%s\n\n%s\n%s\n' '{"queue":"q","kind":"k"}' "$bad" '{"queue":"q","kind":"k"}' >"$jobs"
  expect 2 tq enqueue --from "$jobs"
  contains "$err" "line 3"
  equal "" "$out"
  equal "" "$(tq list --json)"
done
echo "$bad" >"$jobs"
expect 2 tq enqueue --from "$jobs"
contains "$err" "line 1"

# Options are defaults; a byte order mark, DOS line ends and a missing last line end do no harm.
printf '\xEF\xBB\xBF{"payload":{"n": 1}}\r\n{"kind":"own","priority":-2,"payload":[1,\t2]}' >"$jobs"
expect 0 tq enqueue -q q usual --priority 7 --from "$jobs"
equal 2 "$(wc -l <<<"$out")"
listed=$(tq list --json)
contains "$listed" '"kind":"usual","payload":{"n": 1},"state":"ready","priority":7'
contains "$listed" '"kind":"own","payload":[1,	2],"state":"ready","priority":-2'
expect 2 tq enqueue -q q usual --unique u --from "$jobs"
equal 0 "$(tq enqueue -q pipe k --from - <<<'{}' >/dev/null; echo $?)"
expect 0 tq enqueue --from - # nothing on standard input: nothing to do
expect 2 tq enqueue --from "$folder/none.ndjson"
contains "$err" "No such file"
expect 2 tq enqueue --from "$folder"

# Duplicates are answered, not refused.
printf '%s\n' '{"queue":"u","kind":"k","unique_key":"a"}' '{"queue":"u","kind":"k","unique_key":"a"}' >"$jobs"
expect 0 tq enqueue --from "$jobs"
equal 1 "$(sort -u <<<"$out" | wc -l)"
contains "$err" "1 of 2 not stored"
expect 0 tq enqueue --json --from "$jobs"
equal 2 "$(grep -c '"inserted":false' <<<"$out")"

# What one database lists, another takes: the same ids, payloads and schedule.
tq enqueue -q q exact $'{\n "a" : [1,\r\n 2],\t"b":"\\u0000é\xF0\x9F\x98\x80" }' --delay 1h --group g >/dev/null
exact=$(tq list -q q --kind exact --json | sed -E 's/.*"job_id":"([^"]*)".*/\1/')
equal "$(printf '{\n "a" : [1,\r\n 2],\t"b":"\\u0000é\xF0\x9F\x98\x80" }' | od -c)" \
  "$(tq show "$exact" --payload | od -c)"
tq list --json --limit 0 >"$folder/all.ndjson"
other=sqlite:///$folder/other.db
expect 0 tq init --db "$other"
expect 0 tq enqueue --db "$other" --from "$folder/all.ndjson"
columns='s/"created_at":"[^"]*"//'
equal "$(sed "$columns" "$folder/all.ndjson")" "$(tq list --db "$other" --json --limit 0 | sed "$columns")"

# 20,000 lines; pages of the list join without a gap.
seq 20000 | sed 's/.*/{"payload":{"n":&}}/' >"$jobs"
expect 0 tq enqueue -q many k --from "$jobs"
ids=$out
equal 20000 "$(sort -u <<<"$ids" | wc -l)"
equal "$ids" "$(tq list -q many --json --limit 0 | sed -E 's/.*"job_id":"([^"]*)".*/\1/')"
expect 0 tq list -q many --json --limit 450
equal "$(head -450 <<<"$ids")" "$(sed -E 's/.*"job_id":"([^"]*)".*/\1/' <<<"$out")"
expect 0 tq list -q many --after "$(sed -n 450p <<<"$ids")" --limit 1 --json
equal "$(sed -n 451p <<<"$ids")" "$(member job_id)"

# A reader that leaves early.
tq list -q many --json --limit 0 2>"$folder/err" | head -1 >"$folder/out"
equal "1 0" "${PIPESTATUS[*]}"
contains "$(<"$folder/err")" "cannot write the results: Broken pipe"
finish
