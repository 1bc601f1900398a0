// What SQLite's result codes mean to the library.
#pragma once

#include <string_view>

#include "tq/error.hpp"

namespace tq::servers {

/// Where an error happened, for its message.
struct SqliteScene {
  std::string_view statement = {};  ///< name of the statement, or empty
  std::string_view path = {};       ///< of the database file
  bool transaction_lost = false;    ///< a transaction was open and is no more
  bool in_commit = false;
};

/// The Errc for a result code and SQLite's message. A client library that passes on primary codes
/// alone is made up for by the message. https://www.sqlite.org/rescode.html
[[nodiscard]] Errc sqlite_code(int code, std::string_view message) noexcept;

/// The whole error: details and a message that says what to do.
[[nodiscard]] Error sqlite_error(int code, std::string_view message, const SqliteScene& scene);

}  // namespace tq::servers
