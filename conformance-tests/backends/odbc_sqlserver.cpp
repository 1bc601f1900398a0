// The pair odbc + sqlserver. The application's own connection is one of the ODBC driver that the
// URL names, else of FreeTDS.
#include <algorithm>
#include <cctype>

#include "odbc.hpp"
#include "servers/url.hpp"

namespace tq::conformance {
namespace {

servers::Url read(const std::string& url) {
  return servers::read_url(url, {.name = "odbc", .wanted = "sqlserver://user@host:port/database"});
}

std::string driver_of(const servers::Url& url) {
  const auto named = std::ranges::find(url.parameters, "driver", &servers::Url::Parameter::name);
  return named == url.parameters.end() ? "" : named->value;
}

// Microsoft's ODBC driver takes the port behind the server's name, FreeTDS better apart from it.
// Keywords of a driver's own begin with a capital letter; other parameters are the library's.
std::string connection_string(const std::string& text) {
  const auto url = read(text);
  const auto named = driver_of(url);
  const bool freetds = named.empty() || named == "FreeTDS";
  const auto port = (freetds ? ";Port=" : ",") + url.port;
  auto result = "Driver=" + (named.empty() ? "FreeTDS" : named) + ";Server=" + url.host +
                (url.port.empty() ? "" : port) + ";Database=" + url.path + ";UID=" + url.user +
                ";PWD=" + url.password + ";";
  for (const auto& [name, value] : url.parameters) {
    const bool keyword = std::isupper(static_cast<unsigned char>(name.front())) != 0;
    if (keyword) result += name + "=" + value + ";";
  }
  return named.empty() ? result + "TDS_Version=7.4;ClientCharset=UTF-8" : result;
}

// "ODBC Driver 18 for SQL Server" as a part of an instance's name.
std::string suffix(const std::string& text) {
  auto name = driver_of(read(text));
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::isalnum(c) == 0 ? '_' : std::tolower(c));
  });
  return name;
}

}  // namespace

Pair odbc_sqlserver() {
  auto client = odbc_client({.connection_string = connection_string,
                             .scripts = Scripts::batches,
                             .limits = {.announcements = odbc_cannot_wait}});
  client.suffix = suffix;
  return sqlserver_with(client);
}

}  // namespace tq::conformance
