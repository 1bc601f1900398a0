// When a failed job is tried again, and when a refused transaction is.
#pragma once

#include <cstdint>
#include <functional>

#include "tq/error.hpp"
#include "tq/time.hpp"

namespace tq {

/// Exponential backoff with a cap and jitter: the n-th failure waits
/// min(cap, base * factor^(n-1)), shortened at random by up to `jitter` of it.
struct Backoff {
  Duration base = std::chrono::seconds{5};
  Duration cap = std::chrono::hours{1};
  double factor = 2.0;  ///< 1 or more
  double jitter = 0.5;  ///< 0..1

  /// The wait after `failures` (1 or more) with a random number `unit` in [0, 1).
  [[nodiscard]] Duration delay(std::int64_t failures, double unit) const noexcept;
  /// The same with a random number of this thread's generator.
  [[nodiscard]] Duration delay(std::int64_t failures) const;
};

/// How often, and for how long, the library repeats its own transactions after a deadlock, a
/// serialization failure, a busy lock or a duplicate on a group's running job.
struct RetryLimits {
  int attempts = 12;                          ///< tries in all, 1 or more
  Duration total = std::chrono::seconds{30};  ///< no further try after this
  Backoff wait = {.base = std::chrono::milliseconds{2},
                  .cap = std::chrono::milliseconds{250},
                  .factor = 2.0,
                  .jitter = 0.9};
  /// Told of each repetition with the error that caused it; may be empty. Must not throw.
  std::function<void(const Error&)> on_retry = {};
};

}  // namespace tq
