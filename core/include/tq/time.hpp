// Points in time and durations, as every signature of the library uses them.
#pragma once

#include <chrono>
#include <cstdint>

namespace tq {

/// A length of time in microseconds, the resolution of every stored time.
using Duration = std::chrono::microseconds;

/// A point in time: microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// The form in which times travel to and from a database: microseconds since the epoch, UTC.
[[nodiscard]] constexpr std::int64_t to_micros(Timestamp time) noexcept {
  return time.time_since_epoch().count();
}

[[nodiscard]] constexpr Timestamp from_micros(std::int64_t micros) noexcept {
  return Timestamp{Duration{micros}};
}

}  // namespace tq
