#include "targets.hpp"

#include <algorithm>
#include <cctype>

namespace tq::soci_driver {
namespace {

constexpr int one_day = 24 * 60 * 60;

// The postgresql backend takes the text apart before libpq does, and gets blanks and quotes wrong.
// A URL that has none of them, and an equals sign, passes unharmed.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded.append(1, '%').append(1, digits[byte / 16U]).append(1, digits[byte % 16U]);
    }
  }
  return encoded;
}

std::string postgresql_address(const servers::Url& url) {
  std::string text = "postgresql://" + percent_encoded(url.user);
  if (!url.password.empty()) text += ":" + percent_encoded(url.password);
  if (!url.user.empty() || !url.password.empty()) text += "@";
  const bool numeric = url.host.find(':') != std::string::npos;
  text += numeric ? "[" + url.host + "]" : percent_encoded(url.host);
  if (!url.port.empty()) text += ":" + url.port;
  return text + "/" + percent_encoded(url.path);
}

// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
constexpr std::string_view postgresql_parameters =
    "application_name channel_binding gssencmode keepalives keepalives_count "
    "keepalives_idle keepalives_interval krbsrvname options passfile require_auth "
    "ssl_min_protocol_version sslcert sslcrl sslkey sslmode sslrootcert target_session_attrs "
    "tcp_user_timeout";

// As the mysql backend reads it.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

void add(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  text.append(text.empty() ? "" : " ").append(name).append("=").append(quoted(value));
}

void add_seconds(MysqlTarget& target, Url& url, std::string_view name, int otherwise) {
  const int value = url.take_number(name, {.least = 1, .most = one_day, .otherwise = otherwise});
  target.waits.append(" ").append(name).append("=").append(std::to_string(value));
}

// The client library uses TLS when it is given an authority, and SOCI has no word for more.
void add_tls(MysqlTarget& target, Url& url) {
  const auto authority = url.take("ssl_ca").value_or("");
  const auto certificate = url.take("ssl_cert").value_or("");
  const auto key = url.take("ssl_key").value_or("");
  target.tls = !authority.empty();
  if (!target.tls && !(certificate + key).empty()) url.refuse("ssl-cert and ssl-key need ssl-ca");
  add(target.text, "sslca", authority);
  add(target.text, "sslcert", certificate);
  add(target.text, "sslkey", key);
}

// As the sqlite3 backend reads it: without an equals sign all of it is the path.
std::string sqlite_text(const Url& url, const SqliteTarget& target) {
  const bool read = target.mode == "ro";
  if (!read && target.path.find('=') == std::string::npos) return target.path;
  if (target.path.find('"') != std::string::npos || target.path.starts_with(' ')) {
    url.refuse("SOCI cannot be told of such a path, with a quote or a blank at its beginning");
  }
  return "dbname=\"" + target.path + "\"" + (read ? " readonly=true" : "");
}

// A value that has anything special stands in braces.
// https://learn.microsoft.com/en-us/sql/odbc/reference/syntax/sqldriverconnect-function
std::string odbc_value(std::string_view text) {
  const bool plain = text.find_first_of("[]{}(),;?*=!@+%") == std::string_view::npos &&
                     text.find_first_not_of(' ') == 0 && !text.ends_with(' ');
  if (plain) return std::string{text};
  std::string result = "{";
  for (const char c : text) result.append(c == '}' ? 2 : 1, c);
  return result + "}";
}

bool names_password(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.find("pwd=") != std::string::npos || text.find("password=") != std::string::npos;
}

// psqlodbc would go on after an error by means of savepoints of its own, and take text to be in the
// application's locale; MariaDB's would connect again by itself; Oracle's could store no CLOB,
// round numbers, and move to a session without the settings.
// https://odbc.postgresql.org/docs/config.html
// https://mariadb.com/kb/en/about-mariadb-connector-odbc/
// https://docs.oracle.com/en/database/oracle/oracle-database/23/odbcd/basic-programming-oracle-odbc.html
std::string_view odbc_always(std::string_view dialect) {
  if (dialect == "postgresql") {
    return "Protocol=7.4-0;UseServerSidePrepare=1;UseDeclareFetch=0;LFConversion=0;"
           "ConnSettings=SET client_encoding TO 'UTF8';";
  }
  if (dialect == "mysql") return "CHARSET=utf8mb4;AUTO_RECONNECT=0;NO_PROMPT=1;";
  if (dialect == "oracle") return "LOB=T;BNF=F;FEN=F;";
  return "";
}

}  // namespace

PostgresqlTarget postgresql_target(Url& url) {
  const auto wait =
      url.take_number("connect_timeout", {.least = 1, .most = one_day, .otherwise = 10});
  const bool prepare = url.take_word("tq_prepare", "on off") == "on";
  auto text = postgresql_address(url.parts()) +
              "?client_encoding=UTF8&fallback_application_name=tablequeue&connect_timeout=" +
              std::to_string(wait);
  for (auto rest = postgresql_parameters; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto name = rest.substr(0, end);
    if (const auto value = url.take(name)) {
      text.append("&").append(name).append("=").append(percent_encoded(*value));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  url.finish(std::string{postgresql_parameters} + " connect_timeout tq_prepare");
  return {.text = std::move(text), .prepare = prepare};
}

MysqlTarget mysql_target(Url& url) {
  MysqlTarget target;
  const auto& parts = url.parts();
  const auto socket = url.take("socket").value_or(parts.host.starts_with('/') ? parts.host : "");
  if (socket.empty()) {
    // The client library takes "localhost" for its socket, and then ignores the port.
    const bool local = parts.host.empty() || parts.host == "localhost";
    add(target.text, "host", local ? "127.0.0.1" : parts.host);
    add(target.text, "port", parts.port.empty() ? "3306" : parts.port);
  }
  add(target.text, "unix_socket", socket);
  add(target.text, "user", parts.user);
  add(target.text, "password", parts.password);
  add(target.text, "dbname", parts.path);
  add(target.text, "charset", "utf8mb4");
  add_tls(target, url);
  add_seconds(target, url, "connect_timeout", 10);
  add_seconds(target, url, "read_timeout", 300);
  add_seconds(target, url, "write_timeout", 60);
  url.finish(
      "backend, connect-timeout, read-timeout, socket, ssl-ca, ssl-cert, ssl-key and "
      "write-timeout");
  return target;
}

SqliteTarget sqlite_target(Url& url) {
  SqliteTarget target;
  // Or SQLite might read it as a URI, with parameters of its own.
  target.path = (url.parts().path.starts_with("file:") ? "./" : "") + url.parts().path;
  if (target.path.empty()) url.refuse("the path is empty");
  target.mode = url.take_word("mode", "rwc rw ro");
  target.synchronous = url.take_word("synchronous", "full normal extra");
  const auto journal = url.take_word("journal_mode", "any wal delete");
  if (journal != "any") target.journal_mode = journal;
  target.busy_timeout = std::chrono::milliseconds{
      url.take_number("busy_timeout", {.least = 0, .most = one_day * 1000, .otherwise = 5000})};
  url.finish("backend, busy_timeout, journal_mode, mode and synchronous");
  target.text = sqlite_text(url, target);
  return target;
}

std::string odbc_target(Url& url) {
  auto text = url.take("odbc_connect").value_or("");
  if (text.empty()) url.refuse("backend=odbc needs odbc_connect, a connection string of ODBC");
  const auto& parts = url.parts();
  if (!(parts.host + parts.port + parts.path).empty()) {
    url.refuse("with odbc_connect the connection string alone names server and database");
  }
  // The program tq prints URLs, but for their passwords.
  if (names_password(text)) {
    url.refuse("the password stands before an @, as in postgresql+soci://user:password@?backend=");
  }
  if (!text.ends_with(';')) text += ';';
  if (!parts.user.empty()) text += "UID=" + odbc_value(parts.user) + ";";
  if (!parts.password.empty()) text += "PWD=" + odbc_value(parts.password) + ";";
  text += odbc_always(url.dialect());
  // http://www.ch-werner.de/sqliteodbc/html/index.html
  if (url.dialect() == "sqlite" && url.take_word("mode", "rwc rw") == "rw") text += "NoCreat=1;";
  url.finish("backend and odbc_connect, and of sqlite mode");
  return text;
}

}  // namespace tq::soci_driver
