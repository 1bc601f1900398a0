// Threads of this process that write to one database file take turns.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "busy_wait.hpp"

namespace tq::sqlite3_driver {

/// The turn to write to one file. SQLite lets one connection write and makes the others poll, at
/// random; among the threads of a process a queue is cheaper, and fair. Any thread may use it.
class Writers {
 public:
  /// Waits in the order of arrival. False if the time-out of `wait` has passed first, or it is told
  /// to stop.
  [[nodiscard]] bool begin(const BusyWait& wait);
  /// Hands the turn to the next one.
  void end() noexcept;
  /// Lets those that wait see that they are told to stop.
  void wake() noexcept;

 private:
  struct Waiting {
    std::condition_variable called;
    bool turn = false;
  };
  std::mutex mutex_;
  std::list<Waiting> queue_;
  bool writing_ = false;
};

/// The turns of a file, by the full path that SQLite gives it; an empty path (in memory) gets turns
/// of its own. Shared by all connections of the process to that file.
[[nodiscard]] std::shared_ptr<Writers> writers_of(const std::string& full_path);

}  // namespace tq::sqlite3_driver
