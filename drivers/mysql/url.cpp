#include "url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string_view>

#include "tq/error.hpp"

namespace tq::mysql_driver {
namespace {

using std::chrono::seconds;

// Never quotes what may be a part of a password that was not percent-encoded.
[[noreturn]] void refuse(const std::string& why) {
  throw Error{Errc::invalid_argument,
              "the mysql URL is not valid: " + why +
                  "; wanted is mysql://user@host:port/database?option=value (with @ : / ? # in a "
                  "name or password written as %40 %3A %2F %3F %23)"};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  refuse("% must be followed by two hexadecimal digits; a percent sign is written as %25");
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
  // The client library takes C strings.
  if (decoded.find('\0') != std::string::npos) refuse("it has a NUL character");
  return decoded;
}

int number(std::string_view what, std::string_view text, int least, int most) {
  int value = -1;
  const auto* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || rest != end || value < least || value > most) {
    refuse(std::string{what} + " is not a number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

Tls tls_mode(const std::string& value) {
  if (value == "disabled") return Tls::disabled;
  if (value == "preferred") return Tls::preferred;
  if (value == "required") return Tls::required;
  if (value == "verify-identity") return Tls::verify_identity;
  if (value == "verify-ca") {
    refuse(
        "ssl-mode=verify-ca is not offered, since the client library would send the password "
        "before it insists on it; use verify-identity");
  }
  refuse("ssl-mode is disabled, preferred, required or verify-identity");
}

// What was named, beside the values themselves.
struct Named {
  bool tls = false;
};

struct Parameter {
  std::string_view name;
  std::function<void(Target&, Named&, const std::string&)> set;
};

seconds duration(std::string_view name, const std::string& value, int least) {
  constexpr int one_day = 24 * 60 * 60;
  return seconds{number(name, value, least, one_day)};
}

// The names are those of MySQL's own URLs where it has one:
// https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html
const std::array<Parameter, 9>& parameters() {
  static const std::array<Parameter, 9> all{{
      {"socket", [](Target& t, Named&, const std::string& v) { t.socket = v; }},
      {"ssl-mode",
       [](Target& t, Named& n, const std::string& v) {
         t.tls = tls_mode(v);
         n.tls = true;
       }},
      {"ssl-ca", [](Target& t, Named&, const std::string& v) { t.ca = v; }},
      {"ssl-cert", [](Target& t, Named&, const std::string& v) { t.certificate = v; }},
      {"ssl-key", [](Target& t, Named&, const std::string& v) { t.key = v; }},
      {"server-public-key-path",
       [](Target& t, Named&, const std::string& v) { t.server_public_key = v; }},
      {"connect-timeout",
       [](Target& t, Named&, const std::string& v) {
         t.connect_timeout = duration("connect-timeout", v, 1);
       }},
      {"read-timeout",
       [](Target& t, Named&, const std::string& v) {
         t.read_timeout = duration("read-timeout", v, 0);
       }},
      {"write-timeout",
       [](Target& t, Named&, const std::string& v) {
         t.write_timeout = duration("write-timeout", v, 0);
       }},
  }};
  return all;
}

std::string known_names() {
  std::string names;
  for (const auto& parameter : parameters()) {
    names.append(names.empty() ? "" : ", ").append(parameter.name);
  }
  return names;
}

void set(Target& target, Named& named, std::string_view pair) {
  const auto equals = std::min(pair.find('='), pair.size());
  // As in other drivers' URLs, an underscore will do.
  auto name = percent_decoded(pair.substr(0, equals));
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(parameters(), name, &Parameter::name);
  if (found == parameters().end()) {
    refuse("the parameter " + name + " is unknown; there are " + known_names());
  }
  const auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
  if (value.empty()) refuse("the parameter " + name + " has no value");
  found->set(target, named, value);
}

Named set_all(Target& target, std::string_view query) {
  Named named;
  // An unescaped ? in a password makes the rest of it look like parameters.
  if (query.find('@') != std::string_view::npos) refuse("it has an @ behind a ?");
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    if (end > 0) set(target, named, query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return named;
}

void set_user(Target& target, std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  target.user = percent_decoded(text.substr(0, colon));
  target.password = percent_decoded(text.substr(std::min(colon + 1, text.size())));
}

void set_host(Target& target, std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) refuse("a [ has no ]");
    target.host = percent_decoded(text.substr(1, close - 1));
    port = text.substr(close + 1);
    if (!port.empty() && port.front() != ':') refuse("something stands behind the ]");
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    if (colon > 0) target.host = percent_decoded(text.substr(0, colon));
    port = text.substr(colon);
  }
  if (target.host.starts_with('/'))
    target.socket = target.host;
  else if (target.host.find_first_of("/[] \t\r\n") != std::string::npos)
    refuse("the host is odd");
  if (port.size() > 1) target.port = number("the port", port.substr(1), 1, 65535);
}

void settle_tls(Target& target, const Named& named) {
  if (!named.tls) {
    // Nobody listens on a socket; and who names an authority wants it to be asked.
    if (!target.socket.empty()) target.tls = Tls::disabled;
    if (!target.ca.empty()) target.tls = Tls::verify_identity;
  }
  if (!target.ca.empty() && target.tls != Tls::verify_identity) {
    refuse("ssl-ca goes with ssl-mode=verify-identity");
  }
  if (target.tls == Tls::disabled && !(target.certificate + target.key).empty()) {
    refuse("ssl-cert and ssl-key need another ssl-mode");
  }
}

std::string_view after_scheme(std::string_view url) {
  for (const std::string_view scheme : {"mysql://", "mariadb://"}) {
    if (url.starts_with(scheme)) return url.substr(scheme.size());
  }
  refuse("it does not begin with mysql://");
}

}  // namespace

Target parse_url(const std::string& url) {
  Target target;
  auto rest = after_scheme(url);
  const auto query = std::min(rest.find('?'), rest.size());
  const auto named = set_all(target, rest.substr(std::min(query + 1, rest.size())));
  rest = rest.substr(0, query);
  const auto slash = std::min(rest.find('/'), rest.size());
  const auto authority = rest.substr(0, slash);
  const auto path = rest.substr(std::min(slash + 1, rest.size()));
  if (std::ranges::count(authority, '@') > 1 || path.find('@') != std::string_view::npos) {
    refuse("it has an @ too many");
  }
  if (path.find('/') != std::string_view::npos) refuse("the database's name has a /");
  const auto at = authority.find('@');
  if (at != std::string_view::npos) set_user(target, authority.substr(0, at));
  set_host(target, authority.substr(at == std::string_view::npos ? 0 : at + 1));
  target.database = percent_decoded(path);
  settle_tls(target, named);
  return target;
}

}  // namespace tq::mysql_driver
