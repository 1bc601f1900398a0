// What SQLite's result codes mean to the library.
#pragma once

#include <string>
#include <string_view>

#include "tq/error.hpp"

struct sqlite3;

namespace tq::sqlite3_driver {

/// Where an error happened, for its message.
struct Scene {
  std::string_view statement = {};  ///< name of the statement, or empty
  std::string_view path = {};       ///< of the database file
  bool transaction_lost = false;    ///< a transaction was open and is no more
  bool in_commit = false;
};

/// The Errc for an extended result code and SQLite's message.
/// https://www.sqlite.org/rescode.html
[[nodiscard]] Errc code_of(int extended_code, std::string_view message) noexcept;

/// The whole error: details and a message that says what to do.
[[nodiscard]] Error error_of(int extended_code, std::string_view message, const Scene& scene);

/// The error that the last call on `database` left.
[[nodiscard]] Error last_error(sqlite3* database, const Scene& scene);

}  // namespace tq::sqlite3_driver
