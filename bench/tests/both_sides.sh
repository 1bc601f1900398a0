#!/usr/bin/env bash
# both_sides.sh TQ CEILING URL: small runs of the library's side and of the ceiling's on one server, in tables of their
# own, which are gone behind each. Either program exits 1 where a job was lost, doubled or refused.
set -euo pipefail
tq=$1 ceiling=$2 url=$3
for workload in enqueue-one enqueue-bulk drain-one drain; do
  "$tq" bench $workload --jobs 200 --db "$url"
  "$ceiling" bench $workload --jobs 200 --db "$url"
done
