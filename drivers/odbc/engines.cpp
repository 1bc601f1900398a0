#include "engines.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tq::odbc {
namespace {

// After an error psqlodbc would roll everything back without a word (-1), or the statement alone by
// means of savepoints of its own (-2), both of which a later commit would hide. It takes text to be
// in the application's locale, unless its settings name an encoding.
// https://odbc.postgresql.org/docs/config.html
Keywords always_postgresql(const Target& /*target*/) {
  return {{"Protocol", "7.4-0"},
          {"UseServerSidePrepare", "1"},
          {"UseDeclareFetch", "0"},  // a cursor cannot be declared for what changes rows
          {"LFConversion", "0"},
          {"ConnSettings", "SET client_encoding TO 'UTF8'"}};
}

// Without it psqlodbc would not even ask for TLS.
Keywords usually_postgresql() { return {{"SSLmode", "prefer"}}; }

// https://mariadb.com/kb/en/about-mariadb-connector-odbc/
Keywords always_mysql(const Target& target) {
  return {{"CHARSET", "utf8mb4"},
          {"AUTO_RECONNECT", "0"},  // it would lose the session's settings and its transaction
          {"NO_PROMPT", "1"},
          {"CONN_TIMEOUT", std::to_string(target.connect_timeout.count())}};
}

// In seconds; as the driver over Connector/C++ has them.
Keywords usually_mysql() { return {{"READ_TIMEOUT", "300"}, {"WRITE_TIMEOUT", "60"}}; }

// We wait for locks ourselves. http://www.ch-werner.de/sqliteodbc/html/index.html
Keywords always_sqlite(const Target& target) {
  return {{"Timeout", "1"}, {"SyncPragma", target.sqlite->synchronous}};
}

// A path alone is a name of tnsnames.ora. Oracle's ODBC driver takes no time-out of ODBC's.
// https://docs.oracle.com/en/database/oracle/oracle-database/23/netag/support-easy-connect-plus.html
Keyword place_oracle(const servers::Url& url, const Target& target) {
  if (url.host.empty()) return {"DBQ", url.path};
  const bool numeric = url.host.find(':') != std::string::npos;
  auto text = "//" + (numeric ? "[" + url.host + "]" : url.host);
  if (!url.port.empty()) text += ":" + url.port;
  text += "/" + url.path + "?connect_timeout=" + std::to_string(target.connect_timeout.count());
  return {"DBQ", std::move(text)};
}

// https://docs.oracle.com/en/database/oracle/oracle-database/23/odbcd/basic-programming-oracle-odbc.html
Keywords always_oracle(const Target& /*target*/) {
  return {{"APA", "T"},   // cancel() comes from another thread
          {"LOB", "T"},   // payloads are CLOBs
          {"BNF", "F"},   // or numbers would be rounded
          {"FEN", "F"}};  // a session that moved would have lost its settings
}

Keywords nothing() { return {}; }

Keywords always_nothing(const Target& /*target*/) { return {}; }

constexpr std::array engines{
    Engine{"postgresql", &servers::postgresql, "PostgreSQL Unicode", "", "Port", nullptr,
           &always_postgresql, &usually_postgresql},
    Engine{"postgres", &servers::postgresql, "PostgreSQL Unicode", "", "Port", nullptr,
           &always_postgresql, &usually_postgresql},
    Engine{"mysql", &servers::mysql, "MariaDB Unicode", "SOCKET", "Port", nullptr, &always_mysql,
           &usually_mysql},
    Engine{"mariadb", &servers::mysql, "MariaDB Unicode", "SOCKET", "Port", nullptr, &always_mysql,
           &usually_mysql},
    Engine{"sqlite", &servers::sqlite, "SQLite3", "", "Port", nullptr, &always_sqlite, &nothing},
    // Microsoft's ODBC driver wants host,port; see url.cpp for FreeTDS.
    // https://learn.microsoft.com/en-us/sql/connect/odbc/dsn-connection-string-attribute
    Engine{"sqlserver", &servers::sqlserver, "ODBC Driver 18 for SQL Server", "", "", nullptr,
           &always_nothing, &nothing},
    // As Instant Client's odbc_update_ini.sh calls it.
    Engine{"oracle", &servers::oracle, "Oracle 23 ODBC driver", "", "", &place_oracle,
           &always_oracle, &nothing},
};

}  // namespace

const Engine* engine_called(std::string_view dialect) noexcept {
  const auto* const found = std::ranges::find(engines, dialect, &Engine::dialect);
  return found == engines.end() ? nullptr : found;
}

// SQLite's own notation: it says whether the file may be made, and needs no braces, which
// libsqliteodbc does not take off. https://www.sqlite.org/uri.html
std::string sqlite_database(const SqliteFile& file) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "/._-:";
  std::string uri = file.path.starts_with('/') ? "file://" : "file:";
  for (const char c : file.path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    }
  }
  return uri + "?mode=" + file.mode;
}

}  // namespace tq::odbc
