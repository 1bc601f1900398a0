// A queue as `tq work --queue` takes it.
#pragma once

#include <string>

#include "tq/worker.hpp"

namespace tq::cli {

/// "mail", or "mail:3" with a weight of 1..100 behind the last colon. What follows it is a part of
/// the name unless it is a whole number. Throws UsageError for a number out of range.
[[nodiscard]] QueueWeight parse_queue_weight(const std::string& text);

}  // namespace tq::cli
