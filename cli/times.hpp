// Durations and points in time as people and scripts write them.
#pragma once

#include <string>
#include <string_view>

#include "tq/time.hpp"

namespace tq::cli {

/// Reads a whole number with a unit: "500ms", "30s", "5m", "2h", "7d". Throws UsageError.
[[nodiscard]] Duration parse_duration(std::string_view text);

/// The largest two units, for people: "2h05m", "3.2s", "0s".
[[nodiscard]] std::string format_duration(Duration duration);

/// Reads an RFC 3339 time with an offset or Z, at most six digits of a second. Throws UsageError.
[[nodiscard]] Timestamp parse_time(std::string_view text);

/// RFC 3339 in UTC with six digits: "2026-01-02T03:04:05.000006Z".
[[nodiscard]] std::string format_time(Timestamp time);

/// The same to the second, for tables.
[[nodiscard]] std::string format_time_short(Timestamp time);

}  // namespace tq::cli
