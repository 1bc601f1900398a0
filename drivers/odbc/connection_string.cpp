#include "connection_string.hpp"

#include <algorithm>
#include <cctype>

#include "tq/error.hpp"

namespace tq::odbc {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error{Errc::invalid_argument, "the connection string is not valid: " + why};
}

// How long a value is that begins with a brace; one inside is doubled.
std::size_t braced(std::string_view value) {
  for (std::size_t at = 1; at < value.size(); ++at) {
    if (value[at] != '}') continue;
    if (!value.substr(at + 1).starts_with('}')) return at + 1;
    ++at;
  }
  refuse("a { has no }");
}

}  // namespace

std::string written(const Keyword& keyword, Braces braces) {
  const auto& value = keyword.value;
  const bool odd_ends = value.empty() || value.front() == ' ' || value.back() == ' ';
  if (braces == Braces::password_only && !same_name(keyword.name, "PWD")) {
    const bool in_braces = value.starts_with('{') && braced(value) == value.size();
    if (odd_ends || (value.find(';') != std::string::npos && !in_braces)) {
      refuse("the ODBC driver takes no value for " + keyword.name +
             " that has a semicolon, or a blank at an end");
    }
    return keyword.name + "=" + value + ";";
  }
  // Not every ODBC driver takes the braces off again, so they stand only where they have to.
  const auto* const special = braces == Braces::password_only ? "{};%+" : "{};";
  if (!odd_ends && value.find_first_of(special) == std::string::npos) {
    return keyword.name + "=" + value + ";";
  }
  std::string text = keyword.name + "={";
  for (const char c : value) text.append(c == '}' ? 2 : 1, c);
  return text + "};";
}

std::vector<std::string> names_in(std::string_view rest) {
  std::vector<std::string> names;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of("; "), rest.size()));
    if (rest.empty()) return names;
    const auto equals = rest.find('=');
    const auto name = rest.substr(0, equals);
    if (equals == std::string_view::npos || name.find(';') != std::string_view::npos) {
      refuse("a keyword has no value");
    }
    names.emplace_back(name.substr(0, name.find_last_not_of(' ') + 1));
    rest.remove_prefix(equals + 1);
    if (rest.starts_with('{')) rest.remove_prefix(braced(rest));
    rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  }
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

}  // namespace tq::odbc
