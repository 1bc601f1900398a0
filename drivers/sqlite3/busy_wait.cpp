#include "busy_wait.hpp"

#include <algorithm>
#include <random>
#include <thread>

namespace tq::sqlite3_driver {
namespace {

// SQLite's own handler sleeps fixed spans up to 100 ms, so waiters meet again and a lock that is
// free for a moment between two writers is missed by all of them.
std::chrono::microseconds nap(int round) {
  constexpr double first = 300;
  constexpr double longest = 10'000;
  thread_local std::minstd_rand random{std::random_device{}()};
  const double middle = std::min(longest, first * (1 + round));
  std::uniform_real_distribution<double> spread{0.2 * middle, 1.8 * middle};
  return std::chrono::microseconds{static_cast<std::int64_t>(spread(random))};
}

}  // namespace

bool BusyWait::next(int round) {
  const auto now = std::chrono::steady_clock::now();
  if (round == 0) give_up_ = now + timeout_;
  if (stopped_ || now >= give_up_) return false;
  std::this_thread::sleep_for(
      std::min(nap(round), std::chrono::ceil<std::chrono::microseconds>(give_up_ - now)));
  return !stopped_;
}

int BusyWait::handler(void* wait, int round) noexcept {
  return static_cast<BusyWait*>(wait)->next(round) ? 1 : 0;
}

}  // namespace tq::sqlite3_driver
