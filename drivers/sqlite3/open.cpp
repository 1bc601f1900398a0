#include "open.hpp"

#include "error.hpp"

namespace tq::sqlite3_driver {
namespace {

int flags_of(OpenOptions::Mode mode) {
  // One connection is used by one thread at a time, so SQLite need not lock it.
  constexpr int always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case OpenOptions::Mode::read:
      return always | SQLITE_OPEN_READONLY;
    case OpenOptions::Mode::write:
      return always | SQLITE_OPEN_READWRITE;
    case OpenOptions::Mode::create:
      break;
  }
  return always | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

// The first column of the first row; empty if there is none. The result code goes to `result`.
std::string one_text(sqlite3* database, const std::string& sql, int& result) {
  sqlite3_stmt* raw = nullptr;
  result = sqlite3_prepare_v2(database, sql.c_str(), -1, &raw, nullptr);
  const Prepared prepared{raw};
  if (result != SQLITE_OK) return {};
  result = sqlite3_step(raw);
  if (result != SQLITE_ROW) return {};
  result = SQLITE_OK;
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
  return text == nullptr ? std::string{} : std::string{text};
}

// The journal mode is kept in the file, so a file that somebody made is left in the mode that they
// chose, unless the URL names one.
bool mode_is_ours_to_choose(sqlite3* database, const OpenOptions& options) {
  int result = SQLITE_OK;
  return options.journal_mode_named || one_text(database, "PRAGMA page_count", result) == "0";
}

// Changing to WAL needs the file alone, and SQLite gives up on that without asking the busy
// handler, so it is asked again here.
// https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode
void set_journal_mode(sqlite3* database, const OpenOptions& options, BusyWait& wait) {
  const Scene scene{.statement = "open", .path = options.path};
  int result = SQLITE_OK;
  for (int round = 0;; ++round) {
    if (one_text(database, "PRAGMA journal_mode", result) == options.journal_mode) return;
    if (result == SQLITE_OK) {
      const auto mode = one_text(database, "PRAGMA journal_mode=" + options.journal_mode, result);
      if (result == SQLITE_OK && (mode == options.journal_mode || mode == "memory")) return;
    }
    const bool busy = (result & 0xFF) == SQLITE_BUSY;
    if (!busy || !wait.next(round)) break;
  }
  // Without WAL everything still holds, readers and the writer only wait for each other more.
  const bool kept =
      result == SQLITE_OK || (result & 0xFF) == SQLITE_BUSY || (result & 0xFF) == SQLITE_READONLY;
  if (kept && !options.journal_mode_named) return;
  if (result != SQLITE_OK) throw last_error(database, scene);
  throw Error{Errc::unsupported, "sqlite " + options.path + ": journal_mode=" +
                                     options.journal_mode + " cannot be had for this file"};
}

}  // namespace

int run_text(sqlite3* database, const std::string& text) noexcept {
  return sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
}

Database open_database(const OpenOptions& options, BusyWait& wait) {
  const Scene scene{.statement = "open", .path = options.path};
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(options.path.c_str(), &raw, flags_of(options.mode), nullptr);
  Database database{raw};
  if (raw == nullptr) throw error_of(SQLITE_NOMEM, "cannot open", scene);
  if (result != SQLITE_OK) throw last_error(raw, scene);
  sqlite3_busy_handler(raw, &BusyWait::handler, &wait);
  if (options.mode != OpenOptions::Mode::read && mode_is_ours_to_choose(raw, options)) {
    set_journal_mode(raw, options, wait);
  }
  if (run_text(raw, "PRAGMA synchronous=" + options.synchronous) != SQLITE_OK) {
    throw last_error(raw, scene);
  }
  return database;
}

}  // namespace tq::sqlite3_driver
