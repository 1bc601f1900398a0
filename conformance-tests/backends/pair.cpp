#include "pair.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>

namespace tq::conformance {

std::string unique_name(std::string_view prefix) {
  std::random_device random;
  std::ostringstream name;
  name << prefix << ::getpid() << '_' << std::hex << random();
  return name.str();
}

std::string as_text(const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string_view>(&argument)) return std::string{*text};
  return {};
}

void warn(const std::string& message) { std::cerr << "tq-conformance: " << message << '\n'; }

std::vector<std::string> urls_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::istringstream words{value == nullptr ? "" : value};
  std::vector<std::string> urls;
  for (std::string url; words >> url;) urls.push_back(url);
  return urls;
}

}  // namespace tq::conformance
