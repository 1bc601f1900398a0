#include "url.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "servers/url.hpp"

namespace tq::mysql_driver {
namespace {

using std::chrono::seconds;

constexpr servers::UrlForm form{.name = "mysql",
                                .wanted = "mysql://user@host:port/database?option=value"};

[[noreturn]] void refuse(const std::string& why) { servers::refuse_url(form, why); }

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
  return seconds{servers::number_in_url(form, name, value, least, one_day)};
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

void set(Target& target, Named& named, const servers::Url::Parameter& parameter) {
  // As in other drivers' URLs, an underscore will do.
  auto name = parameter.name;
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(parameters(), name, &Parameter::name);
  if (found == parameters().end()) {
    refuse("the parameter " + name + " is unknown; there are " + known_names());
  }
  found->set(target, named, parameter.value);
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

}  // namespace

Target parse_url(const std::string& text) {
  const auto url = servers::read_url(text, form);
  if (url.scheme != "mysql" && url.scheme != "mariadb") refuse("it does not begin with mysql://");
  Target target{.user = url.user, .password = url.password, .database = url.path};
  if (!url.host.empty()) target.host = url.host;
  if (url.host.starts_with('/')) target.socket = url.host;
  if (!url.port.empty()) target.port = std::stoi(url.port);
  Named named;
  for (const auto& parameter : url.parameters) set(target, named, parameter);
  settle_tls(target, named);
  return target;
}

}  // namespace tq::mysql_driver
