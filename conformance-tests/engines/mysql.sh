# shellcheck shell=bash disable=SC2154  # cache is set by engines.sh
# mysql.sh: MySQL and MariaDB, for engines.sh. MariaDB 10.11 is the version of Debian 12; MySQL 9
# comes from unstable.

mysql_install() {
  local tree=$cache/mysql-$1/tree
  debian_unpack sid "$tree" mysql-server-core
  debian_wrap "$tree" "$tree/usr/sbin/mysqld"
  # The package's name holds no version.
  [[ $("$tree/usr/sbin/mysqld" --version) == *" Ver $1."* ]] || die "Debian unstable has no MySQL $1 any more"
}
mariadb_install() {
  local tree=$cache/mariadb-$1/tree
  debian_unpack bookworm "$tree" mariadb-server-core
  debian_wrap "$tree" "$tree/usr/sbin/mariadbd"
}

# mysql_server ENGINE PROGRAM FOLDER: sets `command` to what every call of the server begins with.
mysql_server() {
  local usr=$cache/$1/tree/usr
  command=("$usr/sbin/$2" --no-defaults "--basedir=$usr" "--plugin-dir=$usr/lib/mysql/plugin"
    "--lc-messages-dir=$usr/share/mysql" "--character-sets-dir=$usr/share/mysql/charsets"
    "--datadir=$3/data")
}

# The tests' account may do everything, since they kill connections and change global settings.
mysql_accounts() {
  printf '%s\n' 'CREATE DATABASE tq;' "CREATE USER tq@'%' IDENTIFIED BY 'tq';" \
    "GRANT ALL ON *.* TO tq@'%' WITH GRANT OPTION;"
}

# The files are not synchronised while the template is made: if that is interrupted, it is made anew.
mysql_initialise() {
  local folder=$2 command
  mysql_accounts >"$folder/accounts.sql"
  mysql_server "mysql-$1" mysqld "$folder"
  (as_server "$folder" "${command[@]}" --initialize-insecure "--init-file=$folder/accounts.sql" \
    --secure-file-priv=NULL --innodb-flush-method=nosync) || return
  rm "$folder/data/auto.cnf" # the server's UUID: each copy makes its own
}
mariadb_initialise() {
  local folder=$2 scripts=$cache/mariadb-$1/tree/usr/share/mysql command
  mysql_server "mariadb-$1" mariadbd "$folder"
  (as_server "$folder" mkdir "$folder/data")
  # MySQL makes itself a key and a certificate; MariaDB 10.11 does not.
  command -v openssl >/dev/null || "$here/../../scripts/bootstrap" tls || return
  (as_server "$folder" openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost \
    -keyout "$folder/data/server-key.pem" -out "$folder/data/server-cert.pem") || return
  # What mariadb-install-db does, without its tables of help texts. Bootstrap mode checks no accounts
  # and so loads none; FLUSH PRIVILEGES does.
  {
    printf '%s\n' 'CREATE DATABASE mysql;' 'USE mysql;' 'SET @auth_root_socket = NULL;' &&
      cat "$scripts"/mysql_{system_tables,performance_tables,system_tables_data}.sql &&
      echo 'FLUSH PRIVILEGES;' && mysql_accounts
  } | (as_server "$folder" "${command[@]}" --bootstrap --innodb-flush-method=nosync)
}

# mysql_options FOLDER PORT: adds to `command` what both servers need: durable settings, little
# memory, and else the servers' own defaults (MariaDB's character set is latin1). Asynchronous I/O is
# off since the kernel shares out few of its contexts, and takes seconds to end a server that had some.
mysql_options() {
  command+=("--port=$2" --bind-address=127.0.0.1 "--socket=$1/socket" --skip-name-resolve
    --innodb-buffer-pool-size=256M --innodb-flush-log-at-trx-commit=1 --server-id=1
    --log-bin=binlog --sync-binlog=1 --innodb-use-native-aio=OFF)
}
mysql_command() {
  mysql_server "mysql-$1" mysqld "$2"
  mysql_options "$2" "$3"
  command+=(--secure-file-priv=NULL --mysqlx=OFF --performance-schema=ON)
}
mariadb_command() {
  mysql_server "mariadb-$1" mariadbd "$2"
  mysql_options "$2" "$3"
  command+=("--secure-file-priv=$2" --binlog-format=ROW # MySQL's default format
    "--ssl-key=$2/data/server-key.pem" "--ssl-cert=$2/data/server-cert.pem")
}

mysql_ready() { grep -qs 'ready for connections' "$1/log"; }
mysql_signal() { echo KILL; } # TERM takes seconds, for data that `down` throws away
mysql_forget() { rm -f "$1/socket.lock"; }
mysql_url() { echo "mysql://tq:tq@127.0.0.1:$1/tq"; }
mysql_ask() {
  local version=''
  # The greeting begins with its length (3 bytes, the upper two are 0), its number (0), the protocol
  # (1 byte) and the version, which ends with 0.
  for _ in length upper number version; do
    IFS= read -r -t 5 -d '' version
  done <"/dev/tcp/127.0.0.1/$2"
  version=${version#?}
  echo "${version#5.5.5-}" # MariaDB puts this before its own version
}

mariadb_ready() { mysql_ready "$@"; }
mariadb_signal() { mysql_signal; }
mariadb_forget() { mysql_forget "$@"; }
mariadb_url() { mysql_url "$@"; }
mariadb_ask() { mysql_ask "$@"; }
