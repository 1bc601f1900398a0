#include "connect.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace tq::libpq {
namespace {

constexpr std::string_view own_parameter = "tq_prepare";

// Never quotes the string: after a slip in it, libpq takes a part of the password for a host.
[[noreturn]] void malformed(const std::string& why) {
  throw Error{Errc::invalid_argument,
              "the connection string is not valid: " + why +
                  "; wanted is postgresql://user@host:port/database?option=value (with @ : / ? # "
                  "in a name or password written as %40 %3A %2F %3F %23), or key=value pairs"};
}

bool is_url(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

Prepare parse_prepare(std::string_view value) {
  if (value == "on") return Prepare::on;
  if (value == "off") return Prepare::off;
  malformed("tq_prepare is on or off");
}

// The value of "tq_prepare=value", if that is what it is.
std::optional<std::string_view> own_value(std::string_view pair) {
  const auto equals = pair.find('=');
  if (pair.substr(0, equals) != own_parameter) return std::nullopt;
  return equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
}

// An unescaped @ or / in a password moves it into the host or the port, and so into messages.
void check_authority(std::string_view url) {
  const auto authority = url.substr(url.find("://") + 3);
  const auto path = std::min(authority.find_first_of("/?"), authority.size());
  const auto query = std::min(authority.find('?'), authority.size());
  const auto in_authority = std::ranges::count(authority.substr(0, path), '@');
  const auto in_path = std::ranges::count(authority.substr(path, query - path), '@');
  if (in_authority > 1 || in_path > 0) malformed("it has an @ too many");
}

Target parse_url(std::string_view url) {
  check_authority(url);
  const auto query = std::min(url.find('?'), url.size());
  Target target{.text = std::string{url.substr(0, query)}};
  auto rest = url.substr(std::min(query + 1, url.size()));
  char separator = '?';
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    const auto pair = rest.substr(0, end);
    if (const auto value = own_value(pair)) {
      target.prepare = parse_prepare(*value);
    } else {
      target.text.append(1, separator).append(pair);
      separator = '&';
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return target;
}

bool blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Where the pair that starts at `at` ends: at a blank that is neither quoted nor escaped.
std::size_t end_of_pair(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size() && (quoted || !blank(text[at])); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '\'') {
      quoted = !quoted;
    }
  }
  return std::min(at, text.size());
}

Target parse_pairs(std::string_view text) {
  Target target;
  for (std::size_t at = 0; at < text.size();) {
    if (blank(text[at])) {
      ++at;
      continue;
    }
    const auto end = end_of_pair(text, at);
    const auto pair = text.substr(at, end - at);
    if (const auto value = own_value(pair)) {
      target.prepare = parse_prepare(*value);
    } else {
      target.text.append(pair).append(1, ' ');
    }
    at = end;
  }
  return target;
}

bool number(std::string_view text) {
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isdigit(c) != 0 || c == ','; });  // several hosts
}

Options parse_options(const std::string& text) {
  char* complaint = nullptr;
  Options options{PQconninfoParse(text.c_str(), &complaint)};
  PQfreemem(complaint);
  if (!options) malformed("libpq does not understand it, or does not know one of its options");
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    const bool given = option->val != nullptr;
    if (given && std::string_view{option->keyword} == "port" && !number(option->val)) {
      malformed("the port is not a number");
    }
  }
  return options;
}

// A later value of a keyword overrides an earlier one: ours that must hold stand last.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PQCONNECTDBPARAMS
ConnectionHandle connect_with(const PQconninfoOption* options) {
  std::vector<const char*> keywords{"fallback_application_name", "connect_timeout"};
  std::vector<const char*> values{"tablequeue", "10"};
  for (const auto* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    keywords.push_back(option->keyword);
    values.push_back(option->val);
  }
  keywords.insert(keywords.end(), {"client_encoding", nullptr});
  values.insert(values.end(), {"UTF8", nullptr});
  return ConnectionHandle{PQconnectdbParams(keywords.data(), values.data(), 0)};
}

}  // namespace

Target parse_target(const std::string& url) {
  return is_url(url) ? parse_url(url) : parse_pairs(url);
}

ConnectionHandle connect(const Target& target) {
  const auto options = parse_options(target.text);
  auto connection = connect_with(options.get());
  if (!connection) throw Error{Errc::failed, "no memory for a connection"};
  if (PQstatus(connection.get()) != CONNECTION_OK) throw lost(connection.get(), {});
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

}  // namespace tq::libpq
