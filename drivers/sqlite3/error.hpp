// What SQLite reports, as tq::Error.
#pragma once

#include "servers/sqlite.hpp"

struct sqlite3;

namespace tq::sqlite3_driver {

using Scene = servers::SqliteScene;

/// The error for an extended result code and SQLite's message.
[[nodiscard]] inline Error error_of(int extended_code, std::string_view message,
                                    const Scene& scene) {
  return servers::sqlite_error(extended_code, message, scene);
}

/// The error that the last call on `database` left.
[[nodiscard]] Error last_error(sqlite3* database, const Scene& scene);

}  // namespace tq::sqlite3_driver
