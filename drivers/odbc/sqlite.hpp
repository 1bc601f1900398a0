// What a connection of the library's own to a file of SQLite's needs beside its ODBC driver.
#pragma once

#include <atomic>
#include <chrono>

#include "error.hpp"
#include "handles.hpp"
#include "url.hpp"

namespace tq::odbc {

/// Takes the waiting for locks away from SQLite, and sets the journal mode where it is ours to
/// choose. Throws Failure, or Errc::unsupported if the one that the URL names cannot be had.
void settle(SQLHDBC connection, const SqliteFile& file);

/// Waiting for a lock of a file: libsqliteodbc's own waiting cannot be cancelled, and takes up to
/// twice as long as it is told.
class BusyWait {
 public:
  explicit BusyWait(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  /// Runs `body` again while it throws a Failure of a lock that another connection holds, which
  /// has changed nothing, until the time-out has passed or it is told to stop.
  template <class Body>
  auto repeat(Body body) {
    stopped_ = false;
    for (const auto give_up = std::chrono::steady_clock::now() + timeout_;;) {
      try {
        return body();
      } catch (const Failure& failure) {
        if (!busy(failure)) throw;
        if (stopped_) throw interrupted();
        if (std::chrono::steady_clock::now() >= give_up) throw;
      }
      nap();
    }
  }

  /// From any thread.
  void stop() noexcept { stopped_ = true; }

 private:
  static bool busy(const Failure& failure);
  static Failure interrupted();
  static void nap();

  std::chrono::milliseconds timeout_;
  std::atomic<bool> stopped_{false};
};

}  // namespace tq::odbc
