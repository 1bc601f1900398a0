#include "queue_weight.hpp"

#include <fmt/format.h>

#include <charconv>

#include "usage_error.hpp"

namespace tq::cli {

QueueWeight parse_queue_weight(const std::string& text) {
  constexpr int highest = 100;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return {.queue = text};
  if (text.find_first_not_of("0123456789", colon + 1) != std::string::npos) return {.queue = text};
  int weight = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, weight);
  if (error != std::errc{} || weight < 1 || weight > highest) {
    throw UsageError{fmt::format("--queue: the weight in '{}' is not from 1 to {}", text, highest)};
  }
  return {.queue = text.substr(0, colon), .weight = weight};
}

}  // namespace tq::cli
