// Ending, from another thread, the statement that runs.
#pragma once

#include <mutex>

#include "handles.hpp"
#include "quirks.hpp"

namespace tq::odbc {

/// Knows the handle that a connection is executing. Any thread may cancel.
class Canceller {
 public:
  /// Marks a handle as busy as long as this lives. A cancel() that has begun is over before it
  /// ends, so that the handle may be used and freed after it.
  class Busy {
   public:
    Busy(Canceller& canceller, SQLHSTMT statement) : canceller_(canceller) {
      canceller_.set(statement);
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { canceller_.set(nullptr); }

   private:
    Canceller& canceller_;
  };

  /// Cancels the busy handle by SQLCancel. `beside` is another handle of the connection, for the
  /// ODBC drivers that need one, or null.
  void cancel(SQLHSTMT beside) noexcept {
    const std::lock_guard lock{mutex_};
    if (busy_ == nullptr) return;
    met_ = true;
    SQLCancel(beside != nullptr ? beside : busy_);
  }

  /// Whether a cancel() has met the last execution.
  [[nodiscard]] bool met() const noexcept {
    const std::lock_guard lock{mutex_};
    return met_;
  }

 private:
  void set(SQLHSTMT statement) noexcept {
    const std::lock_guard lock{mutex_};
    if (statement != nullptr) met_ = false;
    busy_ = statement;
  }

  mutable std::mutex mutex_;
  SQLHSTMT busy_ = nullptr;
  bool met_ = false;
};

}  // namespace tq::odbc
