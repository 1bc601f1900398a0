// Refuses bad input before the database is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tq/job.hpp"
#include "tq/time.hpp"

namespace tq {

/// All throw Errc::invalid_argument with a message that begins with the field and names its limit.
void check_name(std::string_view field, std::string_view value);
void check_payload(std::string_view payload, std::size_t max_bytes);
void check_range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high);
void check_duration(std::string_view field, Duration value, Duration low, Duration high);
void check_job(const NewJob& job, std::size_t max_payload_bytes);

/// Makes any bytes storable as an error text: invalid UTF-8 and NUL become U+FFFD, and it is cut at
/// 4,000 characters.
std::string storable_error(std::string_view text);

inline constexpr Duration longest_duration = std::chrono::hours{24 * 36'500};

}  // namespace tq
