#include "sqlite.hpp"

#include <random>
#include <thread>

#include "commands.hpp"
#include "error.hpp"

namespace tq::odbc {
namespace {

// https://www.sqlite.org/rescode.html
constexpr int sqlite_busy = 5;
constexpr int sqlite_readonly = 8;
constexpr int sqlite_interrupt = 9;

std::string one_text(SQLHDBC connection, const std::string& sql) {
  const auto statement = make_statement(connection);
  const auto row = first_row(statement.get(), sql, Text::utf8);
  return row.empty() ? std::string{} : row.front();
}

// The journal mode is kept in the file, so a file that somebody made is left in the mode that they
// chose, unless the URL names one.
bool ours_to_choose(SQLHDBC connection, const SqliteFile& file) {
  return file.mode != "ro" &&
         (file.journal_mode_named || one_text(connection, "PRAGMA page_count") == "0");
}

// Without WAL everything still holds, readers and the writer only wait for each other more.
bool can_do_without(const Failure& failure, const SqliteFile& file) {
  return !file.journal_mode_named &&
         (failure.number == sqlite_busy || failure.number == sqlite_readonly);
}

}  // namespace

// https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode
void settle(SQLHDBC connection, const SqliteFile& file) {
  (void)one_text(connection, "PRAGMA busy_timeout=0");
  BusyWait wait{file.busy_timeout};
  std::string mode;
  try {
    mode = wait.repeat([&] {
      return ours_to_choose(connection, file)
                 ? one_text(connection, "PRAGMA journal_mode=" + file.journal_mode)
                 : file.journal_mode;
    });
  } catch (const Failure& failure) {
    if (can_do_without(failure, file)) return;
    throw;
  }
  if (mode == file.journal_mode || mode == "memory" || !file.journal_mode_named) return;
  throw Error{Errc::unsupported, "sqlite " + file.path + ": journal_mode=" + file.journal_mode +
                                     " cannot be had for this file"};
}

bool BusyWait::busy(const Failure& failure) { return failure.number == sqlite_busy; }

Failure BusyWait::interrupted() { return {.number = sqlite_interrupt, .message = "interrupted"}; }

// A little, since libsqliteodbc has just slept for 10 ms, and at random, or waiters meet again.
void BusyWait::nap() {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<int> spread{0, 5000};
  std::this_thread::sleep_for(std::chrono::microseconds{spread(random)});
}

}  // namespace tq::odbc
