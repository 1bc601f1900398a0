#include "tq/retry.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tq {

Duration Backoff::delay(std::int64_t failures, double unit) const noexcept {
  const auto exponent = static_cast<double>(std::max<std::int64_t>(failures, 1) - 1);
  const double grown = static_cast<double>(base.count()) * std::pow(factor, exponent);
  const double capped = std::min(grown, static_cast<double>(cap.count()));
  return Duration{static_cast<Duration::rep>(capped * (1.0 - jitter * unit))};
}

Duration Backoff::delay(std::int64_t failures) const {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return delay(failures, std::uniform_real_distribution<double>{0.0, 1.0}(random));
}

}  // namespace tq
