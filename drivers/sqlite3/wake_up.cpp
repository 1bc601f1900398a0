#include "wake_up.hpp"

#include <algorithm>
#include <utility>

#include "error.hpp"

namespace tq::sqlite3_driver {
namespace {

constexpr Duration shortest_pause = std::chrono::milliseconds{2};
constexpr Duration longest_pause = std::chrono::milliseconds{20};

}  // namespace

std::vector<std::string> SqliteWakeUp::wait(Duration timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!changed()) {
    const auto left = std::chrono::floor<Duration>(end - std::chrono::steady_clock::now());
    if (left <= Duration::zero()) return {};
    const auto next = std::min(pause(), left);
    if (interrupted_within(next)) return {};
    quiet_ += next;
  }
  quiet_ = Duration::zero();
  return {std::string{}};
}

void SqliteWakeUp::interrupt() noexcept {
  const std::lock_guard lock{mutex_};
  interrupted_ = true;
  called_.notify_one();
}

// The first look has nothing to compare with, so it answers yes: what was committed before it
// may not have been seen by anyone.
bool SqliteWakeUp::changed() {
  if (!prepared_) {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v3(database_, "PRAGMA data_version", -1, SQLITE_PREPARE_PERSISTENT, &raw,
                       nullptr);
    prepared_.reset(raw);
  }
  const int result = prepared_ ? sqlite3_step(prepared_.get()) : SQLITE_ERROR;
  const int version = result == SQLITE_ROW ? sqlite3_column_int(prepared_.get(), 0) : 0;
  if (result != SQLITE_ROW) {
    auto error = last_error(database_, {.statement = "wake_up", .path = path_});
    sqlite3_reset(prepared_.get());
    if (error.code() == Errc::busy) return false;
    throw Error{ErrorDetails{.code = Errc::connection_lost, .vendor_code = error.vendor_code()},
                error.what()};
  }
  sqlite3_reset(prepared_.get());
  const bool differs = seen_ != version;
  seen_ = version;
  return differs;
}

bool SqliteWakeUp::interrupted_within(Duration pause) {
  std::unique_lock lock{mutex_};
  return called_.wait_for(lock, pause, [this] { return std::exchange(interrupted_, false); });
}

// Quick while jobs come; 50 looks a second once nothing has happened for a second.
Duration SqliteWakeUp::pause() const {
  return std::clamp(quiet_ / 50, shortest_pause, longest_pause);
}

}  // namespace tq::sqlite3_driver
