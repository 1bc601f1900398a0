// What MysqlConnection::open() was asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tq::mysql_driver {

enum class Tls : std::uint8_t {
  disabled,
  preferred,        ///< if the server offers it; nothing is verified
  required,         ///< or no connection; nothing is verified
  verify_identity,  ///< the server's certificate and name are verified before the password is sent
};

struct Target {
  std::string host = "localhost";
  int port = 3306;
  std::string socket = {};  ///< a path; if not empty, host and port are not used
  std::string user = {};    ///< empty: the name of the operating system's user
  std::string password = {};
  std::string database = {};  ///< empty: none is chosen
  Tls tls = Tls::preferred;
  std::string ca = {};  ///< a file; empty: the system's authorities
  std::string certificate = {};
  std::string key = {};
  std::string server_public_key = {};  ///< a file; empty: the server is asked for its key
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds read_timeout{300};  ///< 0: none
  std::chrono::seconds write_timeout{60};  ///< 0: none
};

/// Reads a `mysql://` or `mariadb://` URL. Throws Errc::invalid_argument, without a part of the URL
/// that may hold a password.
[[nodiscard]] Target parse_url(const std::string& url);

}  // namespace tq::mysql_driver
