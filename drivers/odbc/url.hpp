// What OdbcConnection::open() was asked for.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "quirks.hpp"
#include "servers/server.hpp"

namespace tq::odbc {

/// How a file of SQLite's is opened.
struct SqliteFile {
  std::string path = {};  ///< empty: a data source names the file
  std::string mode = "rwc";
  std::chrono::milliseconds busy_timeout{5000};
  std::string synchronous = "full";
  std::string journal_mode = "wal";
  bool journal_mode_named = false;  ///< by the URL, so not getting it is an error
};

struct Target {
  const servers::Server* server = nullptr;  ///< that the URL's scheme names
  std::string connection_string = {};       ///< for SQLDriverConnect; holds the password
  std::chrono::seconds connect_timeout{10};
  std::optional<Text> text = {};          ///< nullopt: as Quirks has it
  std::optional<SqliteFile> sqlite = {};  ///< where that is the server
};

/// Reads a URL. Throws Errc::invalid_argument, without a part of the URL that may hold a password.
[[nodiscard]] Target parse_url(const std::string& url);

}  // namespace tq::odbc
