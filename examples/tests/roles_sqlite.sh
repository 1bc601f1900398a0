# shellcheck shell=bash
# roles_sqlite.sh TQ: what sql/sqlite/roles.sql says of files: who may write the file, and its folder, may do
# everything; who may only read it can look, and needs the folder or the two files beside it.
# Run by root it becomes two other users, of one group; else it is the one that runs it.
# shellcheck source=cli/tests/e2e.sh
. "$(dirname "$0")/../../cli/tests/e2e.sh"
place=$folder/place
cp "$tq_program" "$folder/tq" # the build folder may be closed to others
chmod 755 "$folder"
mkdir "$place"
owner=61001 group=61000 other=61002
if [ "$EUID" = 0 ]; then
  chown "$owner:$group" "$place"
  by() { (umask 007 && exec setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}"); } # USER GROUP COMMAND...
else
  by() { "${@:3}"; }
fi
url=sqlite:///$place/jobs.db
as_owner() { by "$owner" "$group" "$folder/tq" "$@" --db "$url"; }
as_member() { by "$other" "$group" "$folder/tq" "$@" --db "$url"; }
as_stranger() { by "$other" "$other" "$folder/tq" "$@"; }
settled() { # FILE-MODE FOLDER-MODE
  chmod "$1" "$place"/jobs.db*
  chmod "$2" "$place"
}

expect 0 as_owner init
expect 0 as_owner enqueue -q q k '{}'

# The group may write the file and its folder: it may do everything.
settled 660 770
expect 0 as_member enqueue -q q k '{}'
expect 0 as_member work -q q --drain --quiet --exec true
expect 0 as_member purge --older-than 0s
contains "$out" 'purged 2 succeeded'
expect 0 as_member enqueue -q q k '{}'

# The file can only be read: nobody can write, whoever may write the folder can look.
settled 444 777
expect 1 as_stranger enqueue -q q k '{}' --db "$url"
contains "$err" 'the database can only be read'
expect 1 as_stranger pause q --db "$url"
expect 0 as_stranger list --json --db "$url?mode=ro"
equal 1 "$(wc -l <<<"$out")"
expect 0 as_stranger stats --db "$url?mode=ro"

# Neither the folder can be written nor are the two files there: not even that, in WAL mode.
rm -f "$place"/jobs.db-wal "$place"/jobs.db-shm
settled 444 555
expect 1 as_stranger list --db "$url?mode=ro"
expect 1 as_owner enqueue -q q k '{}'
chmod 755 "$place"
finish
