#!/usr/bin/env bash
# tq doctor as people and scripts use it: the table, JSON, exit codes, several databases.
# shellcheck source-path=SCRIPTDIR source=e2e.sh
. "$(dirname "$0")/e2e.sh"
other=sqlite:///$folder/other.db
sql() { "$(dirname "$tq_program")/examples/sql" "$folder/jobs.db" "$1"; }
script() { sql "$(tq init --print)"; }

# No database at all, and one without tables: a finding, not a crash, and what to run.
expect 1 tq doctor
equal "" "$err"
contains "$out" "connection  problem"
contains "$out" "tq init --db '$TQ_DATABASE_URL'"
expect 1 test -e "$folder/jobs.db"
expect 1 tq doctor --db "$TQ_DATABASE_URL?mode=rwc"
contains "$out" "the tables are not there"
contains "$out" "run \`tq init --db '$TQ_DATABASE_URL?mode=rwc'\`"
contains "$out" "problems: 1, advice: 0"

# As it should be.
expect 0 tq init
expect 0 tq doctor
equal "" "$err"
equal "$TQ_DATABASE_URL" "$(head -1 <<<"$out")"
contains "$out" "SUBJECT"
contains "$out" "journal_mode"
contains "$out" "plan of claim_pick"
contains "$out" "problems: 0, advice: 0"
lacks "$out" $'\x1b'
expect 0 tq doctor --json
equal "$TQ_DATABASE_URL" "$(member database)"
equal "" "$(grep -v '^{"database":".*","subject":".*","verdict":"ok","found":".*","advice":null}$' <<<"$out")"

expect 0 tq doctor --db "$TQ_DATABASE_URL?tq_schema=main"

# Advice alone does not make the exit code.
expect 0 tq doctor --db "$TQ_DATABASE_URL?synchronous=normal"
contains "$out" "PRAGMA synchronous=FULL"
contains "$out" "problems: 0, advice: 1"
expect 0 tq doctor --json --db "$TQ_DATABASE_URL?synchronous=normal"
contains "$out" '"subject":"synchronous","verdict":"advice","found":"normal","advice":"a power cut'

# A problem does; the plan says it too, and what is advised helps.
expect 0 sql "DROP INDEX tq_job_claim"
expect 1 tq doctor
contains "$out" "index tq_job_claim"
contains "$out" "no such index: tq_job_claim"
contains "$out" "tq init --db '$TQ_DATABASE_URL' --print"
expect 0 script
expect 0 tq doctor
expect 0 sql "DROP TABLE tq_failure"
expect 1 tq doctor --json
contains "$out" '"subject":"table tq_failure","verdict":"problem","found":"missing"'
expect 0 script
expect 0 tq doctor
expect 1 tq doctor --db "$TQ_DATABASE_URL?mode=ro"
lacks "$out" "the job table can be written to"
expect 0 sql "INSERT INTO tq_schema VALUES (99, 0)"
expect 1 tq doctor
contains "$out" "99; this program needs"
expect 0 sql "DELETE FROM tq_schema WHERE version = 99"
expect 0 sql "PRAGMA journal_mode=delete"
expect 0 tq doctor
contains "$out" "PRAGMA journal_mode=WAL"

# Several databases, one after the other; the worst one makes the exit code.
expect 0 tq init --db "$other"
expect 0 tq doctor --db "$other" --db "$TQ_DATABASE_URL"
equal 2 "$(grep -c '^SUBJECT' <<<"$out")"
contains "$out" "
$TQ_DATABASE_URL
"
expect 1 tq doctor --db sqlite:///none.db --db "$other" --json
equal 1 "$(grep -c '"verdict":"problem"' <<<"$out")"
contains "$out" "\"database\":\"$other\",\"subject\":\"write\",\"verdict\":\"ok\""
expect 2 tq doctor --db mongodb://host/db --db "$other"
equal "" "$out"

# A URL that a driver cannot read is wrong usage, here as everywhere.
for command in doctor "doctor --json" stats; do
  # shellcheck disable=SC2086 # several words
  expect 2 tq $command --db 'postgresql://plain:top/sec@127.0.0.1:1/db'
  equal "" "$out"
  contains "$err" "tq: "
  lacks "$err" "top/sec"
done

# No password is shown.
TQ_DATABASE_PASSWORD=secretly expect 1 tq doctor --db postgresql://me@127.0.0.1:1/db
lacks "$out$err" secretly
expect 1 tq doctor --db postgresql://me:geheim@127.0.0.1:1/db
contains "$out" "postgresql://me:***@127.0.0.1:1/db"
lacks "$out$err" geheim
finish
