#include "url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "tq/error.hpp"

namespace tq::sqlite3_driver {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error{Errc::invalid_argument, "sqlite URL: " + why};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  refuse("% must be followed by two hexadecimal digits; write a percent sign as %25");
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto digits = text.substr(i + 1, 2);
    const int high = hex_digit(digits.empty() ? '\0' : digits[0]);
    const int low = hex_digit(digits.size() < 2 ? '\0' : digits[1]);
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

template <std::size_t N>
std::string one_of(const std::string& name, const std::string& value,
                   const std::array<std::string_view, N>& allowed) {
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  std::string list;
  for (const auto word : allowed) list.append(list.empty() ? "" : ", ").append(word);
  refuse(name + "=" + value + " is not one of " + list);
}

std::chrono::milliseconds milliseconds(const std::string& name, const std::string& value) {
  constexpr int most = 24 * 60 * 60 * 1000;
  int number = -1;
  const auto* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end || number < 0 || number > most) {
    refuse(name + "=" + value + " is not a number of milliseconds from 0 to one day");
  }
  return std::chrono::milliseconds{number};
}

void set(OpenOptions& options, const std::string& name, const std::string& value) {
  using Mode = OpenOptions::Mode;
  if (name == "busy_timeout") {
    options.busy_timeout = milliseconds(name, value);
  } else if (name == "synchronous") {
    options.synchronous = one_of<3>(name, value, {"full", "normal", "extra"});
  } else if (name == "journal_mode") {
    options.journal_mode = one_of<2>(name, value, {"wal", "delete"});
    options.journal_mode_named = true;
  } else if (name == "mode") {
    const auto mode = one_of<3>(name, value, {"ro", "rw", "rwc"});
    options.mode = mode == "ro" ? Mode::read : mode == "rw" ? Mode::write : Mode::create;
  } else {
    refuse("the parameter " + name +
           " is unknown; there are busy_timeout, synchronous, journal_mode and mode");
  }
}

void set_all(OpenOptions& options, std::string_view query) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    const auto equals = std::min(pair.find('='), pair.size());
    if (equals == pair.size()) refuse("the parameter " + std::string{pair} + " has no value");
    set(options, percent_decoded(pair.substr(0, equals)), percent_decoded(pair.substr(equals + 1)));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
}

}  // namespace

OpenOptions parse_url(const std::string& url) {
  constexpr std::string_view scheme = "sqlite://";
  OpenOptions options;
  if (!url.starts_with(scheme)) {
    if (url.find("://") != std::string::npos) refuse("it must begin with sqlite:///");
    options.path = url;
  } else {
    const auto rest = std::string_view{url}.substr(scheme.size());
    if (!rest.starts_with('/')) {
      refuse("there is no host; write sqlite:///relative.db or sqlite:////absolute.db");
    }
    const auto question = std::min(rest.find('?'), rest.size());
    options.path = percent_decoded(rest.substr(1, question - 1));
    set_all(options, rest.substr(std::min(question + 1, rest.size())));
  }
  if (options.path.empty()) refuse("the path is empty");
  if (options.path.find('\0') != std::string::npos) refuse("the path holds a NUL character");
  return options;
}

}  // namespace tq::sqlite3_driver
