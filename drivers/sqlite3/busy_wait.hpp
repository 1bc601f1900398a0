// Waiting for a lock that another process holds.
#pragma once

#include <atomic>
#include <chrono>

namespace tq::sqlite3_driver {

/// SQLite's busy handler: sleeps a random while, longer from time to time, until the time-out has
/// passed or it is told to stop. Belongs to one connection, whose thread calls it.
/// https://www.sqlite.org/c3ref/busy_handler.html
class BusyWait {
 public:
  explicit BusyWait(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  /// Sleeps for the next while; false when it is time to give up. `round` counts from 0.
  [[nodiscard]] bool next(int round);

  /// From any thread.
  void stop() noexcept { stopped_ = true; }
  void start() noexcept { stopped_ = false; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return timeout_; }

  /// To be given to sqlite3_busy_handler() with a BusyWait.
  static int handler(void* wait, int round) noexcept;

 private:
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point give_up_{};
  std::atomic<bool> stopped_{false};
};

}  // namespace tq::sqlite3_driver
