# shellcheck shell=bash disable=SC2154  # cache is set by engines.sh
# pgbouncer.sh: the pooler PgBouncer, for engines.sh. Debian's package would start a service, so its
# program is unpacked beside the servers'.

pgbouncer_program() { # prints its path, unpacking it first where that has not been done
  local folder=$cache/pgbouncer
  if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    debian_unpack bookworm "$folder/tree" pgbouncer
    debian_wrap "$folder/tree" "$folder/tree/usr/sbin/pgbouncer"
    touch "$folder/complete"
  fi
  echo "$folder/tree/usr/sbin/pgbouncer"
}
