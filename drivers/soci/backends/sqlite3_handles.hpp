// SQLite's own handles behind SOCI's. SOCI's header has SQLite's in a namespace of its own, in part
// or as a whole, so that no file can include both.
#pragma once

#include <soci/soci.h>

#include <memory>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace tq::soci_driver {

/// Throws soci::soci_error.
[[nodiscard]] std::unique_ptr<soci::session> open_sqlite(const std::string& connect_string);

/// Null if the session is closed.
[[nodiscard]] ::sqlite3* sqlite_of(soci::session& session) noexcept;
[[nodiscard]] ::sqlite3_stmt* sqlite_of(soci::statement& prepared) noexcept;

/// SQLite's result code, if it is SQLite's error.
[[nodiscard]] std::optional<int> result_of(const soci::soci_error& error);

}  // namespace tq::soci_driver
