// Reading database URLs: dialect[+driver]://user:password@host:port/path?name=value&…
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tq::servers {

/// What a driver's URLs look like, for the messages that refuse one.
struct UrlForm {
  std::string_view name;    ///< "mysql"
  std::string_view wanted;  ///< "mysql://user@host:port/database?option=value"
  enum class Place : std::uint8_t {
    server,  ///< the path names a database
    file,  ///< there is no host, and the path is a file's: relative after ///, absolute after ////
  } place = Place::server;
};

/// The parts, percent signs decoded; what the URL does not have is empty.
struct Url {
  struct Parameter {
    std::string name;
    std::string value;
  };
  std::string scheme;
  std::string user;
  std::string password;
  std::string host;  ///< an IPv6 address without its brackets
  std::string port;  ///< 1 to 65535
  std::string path;  ///< behind the slash
  std::vector<Parameter> parameters;
};

/// Throws Errc::invalid_argument, without a part of the URL that may hold a password.
[[nodiscard]] Url read_url(std::string_view text, const UrlForm& form);

/// Throws Errc::invalid_argument: why, and what is wanted. `why` must not quote what may be a part
/// of a password that was not percent-encoded.
[[noreturn]] void refuse_url(const UrlForm& form, const std::string& why);

/// A whole number in the limits; else refuses the URL, naming `what`.
[[nodiscard]] int number_in_url(const UrlForm& form, std::string_view what, std::string_view text,
                                int least, int most);

}  // namespace tq::servers
