// What SOCI's backends are told when a session is opened, each in its own notation.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "url.hpp"

namespace tq::soci_driver {

// Each throws Errc::invalid_argument for what it does not know, or what SOCI cannot be told.

struct PostgresqlTarget {
  std::string text;     ///< SOCI's connect string
  bool prepare = true;  ///< false: each statement is prepared anew, for a pooler of transactions
};
[[nodiscard]] PostgresqlTarget postgresql_target(Url& url);

struct MysqlTarget {
  std::string text = {};   ///< SOCI's connect string, but for the time-outs
  std::string waits = {};  ///< those
  bool tls = false;        ///< or no connection
};
[[nodiscard]] MysqlTarget mysql_target(Url& url);

struct SqliteTarget {
  std::string text;  ///< SOCI's connect string
  std::string path;
  std::string mode;  ///< ro, rw, rwc
  std::string synchronous;
  std::optional<std::string> journal_mode;
  std::chrono::milliseconds busy_timeout;
};
[[nodiscard]] SqliteTarget sqlite_target(Url& url);

/// A connection string of ODBC: that of the parameter `odbc_connect`, with user and password of the
/// URL, and what has to be so.
[[nodiscard]] std::string odbc_target(Url& url);

}  // namespace tq::soci_driver
