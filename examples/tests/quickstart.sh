# shellcheck shell=bash
# quickstart.sh TQ QUICKSTART.md [POSTGRESQL_URL]: runs the page's blocks of shell and SQL in an empty
# folder, in their order, as a reader would: those of the SQLite section or of the PostgreSQL one.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
page=$(realpath "$2")
PATH=$(dirname "$(realpath "$tq_program")"):$PATH
unset TQ_DATABASE_URL
if [ $# = 3 ]; then
  other=SQLite
  shell="psql -Xq -v ON_ERROR_STOP=1 \"\$TQ_DATABASE_URL\""
  schema=tq_quickstart_$$
  [[ $3 == *\?* ]] && separator='&' || separator='?'
  # A schema of its own, so that the page's tables meet nobody else's.
  url="$3${separator}options=-csearch_path%3D$schema"
  psql -Xq "$3" -c "CREATE SCHEMA $schema"
  trap 'psql -Xq "$3" -c "SET client_min_messages = warning; DROP SCHEMA $schema CASCADE"; rm -rf "$folder"' EXIT
else
  other=PostgreSQL
  shell='sqlite3 -bail shop.db'
  url=
fi

awk -v other="$other" -v shell="$shell" '
/^##+ / { section = $0; sub(/^#+ /, "", section) }
section == "The same in C++" { exit }
/^```$/ && inside { if (inside == "sql") print "SQL"; inside = ""; next }
/^```sh$/ { inside = "sh"; next }
/^```sql$/ { inside = "sql"; if (section != other) print shell " <<\047SQL\047"; next }
inside && section != "Build" && section != other
' "$page" >"$folder/blocks"
[ -z "$url" ] || sed -i "s|postgresql://app@localhost/shop|'$url'|" "$folder/blocks"

mkdir "$folder/empty"
(cd "$folder/empty" && bash -eux "$folder/blocks") >"$folder/out" 2>"$folder/err" ||
  fail "the page's blocks failed: $(cat "$folder/out" "$folder/err")"
out=$(<"$folder/out")
contains "$out" 'charging: {"order": 1}'
contains "$out" 'charging: {"order": 2}'
contains "$out" '"payload":{"order": 3}'
contains "$out" 'the card was refused'
contains "$out" 'requeued'
finish
