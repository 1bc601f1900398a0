#include "pair.hpp"

#include <cstdlib>

#include "url.hpp"

namespace tq::conformance {

std::string as_text(const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string_view>(&argument)) return std::string{*text};
  return {};
}

std::string with_environments_password(const std::string& url) {
  const char* secret = std::getenv("TQ_DATABASE_PASSWORD");
  return secret == nullptr ? url : cli::with_password(url, secret);
}

}  // namespace tq::conformance
