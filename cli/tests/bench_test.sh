#!/usr/bin/env bash
# tq bench: each workload, small; tables of its own, removed whatever happens.
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
tq init >/dev/null
tq enqueue -q mail k >/dev/null
untouched() {
  equal "" "$(find "$folder" -name '*tqb_*')"
  equal 1 "$(tq stats --json | jq .ready)"
}

for workload in enqueue-one enqueue-bulk drain-one drain memory groups; do
  expect 0 tq bench $workload --jobs 40 --connections 2 --json
  equal "$workload" "$(jq -r .workload <<<"$out")"
  equal "0 0 0" "$(jq -r '"\(.lost) \(.doubled) \(.stale)"' <<<"$out")"
  equal true "$(jq '.value > 0 and .jobs >= 40' <<<"$out")"
  equal "journal_mode=wal synchronous=2" "$(jq -r .durability <<<"$out")"
  untouched
done
expect 0 tq bench future --jobs 2000 --json
equal "ratio 4020" "$(jq -r '"\(.unit) \(.jobs)"' <<<"$out")"
equal true "$(jq '.more | .["claim us"] > 0 and .["claim us alone"] > 0' <<<"$out")"
expect 0 tq bench steady --seconds 1 --connections 2 --json
equal true "$(jq '.value > 0 and .lost == 0' <<<"$out")"
expect 0 tq bench latency --jobs 5 --json
equal 25 "$(jq .jobs <<<"$out")"
expect 0 tq bench drain --jobs 600 --processes 2 --payload 100
contains "$out" "600 jobs: 0 lost, 0 doubled, 0 stale"
contains "$out" "journal_mode=wal synchronous=2"
untouched

# What cannot be meant.
expect 2 tq bench
expect 2 tq bench nothing
contains "$err" "there is no workload 'nothing'"
contains "$err" "enqueue-one"
expect 2 tq bench drain --jobs 0
contains "$err" "--jobs"
expect 2 tq bench drain --db "$TQ_DATABASE_URL?tq_schema=main"
contains "$err" "bench makes a schema of its own"
expect 1 tq bench snapshot
contains "$err" "PostgreSQL, MySQL and MariaDB"
untouched

# Interrupted in the middle, it removes its tables and ends its processes.
timeout --preserve-status -s INT 1 "$tq_program" bench drain --jobs 1000000 >/dev/null 2>&1 &&
  fail "it was not interrupted"
untouched
for _ in {1..50}; do pgrep -f "^$tq_program bench" >/dev/null || break; sleep 0.1; done
! pgrep -f "^$tq_program bench" >/dev/null || fail "processes are left behind"
finish
