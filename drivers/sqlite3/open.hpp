// Opening a database file with the settings that the library's own connections have.
#pragma once

#include "busy_wait.hpp"
#include "handles.hpp"
#include "url.hpp"

namespace tq::sqlite3_driver {

/// Opens, or creates, the file. `wait` becomes the busy handler and must outlive the handle. Throws
/// Errc::connection_lost, or what the settings met.
[[nodiscard]] Database open_database(const OpenOptions& options, BusyWait& wait);

/// Runs every statement of a text and discards its rows; returns SQLite's result code.
[[nodiscard]] int run_text(sqlite3* database, const std::string& text) noexcept;

}  // namespace tq::sqlite3_driver
