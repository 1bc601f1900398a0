#include "connect.hpp"

#include <cppconn/exception.h>

#include <fstream>
#include <map>

#include "client.hpp"
#include "error.hpp"
#include "session.hpp"

namespace tq::mysql_driver {
namespace {

using Options = sql::ConnectOptionsMap;

void set_text(Options& options, const char* name, const std::string& value) {
  if (!value.empty()) options[name] = value;
}

void set_seconds(Options& options, const char* name, std::chrono::seconds value) {
  if (value.count() > 0) options[name] = static_cast<int>(value.count());
}

// A key that cannot be read would make the client library ask the server for one instead.
void check_readable(const std::string& path) {
  if (path.empty() || std::ifstream{path}.good()) return;
  throw Error{Errc::invalid_argument, "the file " + path + " cannot be read"};
}

// Connector/C++ takes OPT_SSL_MODE and does nothing with it when it is built on MariaDB's client
// library, as Debian's is; these two options work.
void set_tls(Options& options, const Target& target) {
  if (target.tls == Tls::disabled) return;
  options["sslEnforce"] = true;  // only asks for TLS: see check_encrypted()
  if (target.tls == Tls::verify_identity) options["sslVerify"] = true;
  set_text(options, "sslCA", target.ca);
  set_text(options, "sslCert", target.certificate);
  set_text(options, "sslKey", target.key);
}

Options options_for(const Target& target) {
  Options options;
  // In brackets a host may be an IPv6 address, and is never taken for more than a host.
  options["hostName"] = target.socket.empty()
                            ? "tcp://[" + target.host + "]:" + std::to_string(target.port)
                            : "unix://" + target.socket;
  options["userName"] = target.user;
  options["password"] = target.password;
  set_text(options, "schema", target.database);
  set_text(options, "rsaKey", target.server_public_key);
  set_tls(options, target);
  set_seconds(options, "OPT_CONNECT_TIMEOUT", target.connect_timeout);
  set_seconds(options, "OPT_READ_TIMEOUT", target.read_timeout);
  set_seconds(options, "OPT_WRITE_TIMEOUT", target.write_timeout);
  options["OPT_CHARSET_NAME"] = std::string{"utf8mb4"};
  options["OPT_RECONNECT"] = false;  // it would lose the session's settings and its transaction
  options["OPT_LOCAL_INFILE"] = 0;   // or a server could ask for files of this machine
  options["OPT_CONNECT_ATTR_ADD"] =
      std::map<sql::SQLString, sql::SQLString>{{"program_name", "tablequeue"}};
  return options;
}

void check_encrypted(sql::Connection& connection, const Target& target) {
  if (target.tls != Tls::required && target.tls != Tls::verify_identity) return;
  if (encrypted(connection)) return;
  throw Error{Errc::connection_lost,
              "no connection to the server: it offers no TLS, but ssl-mode asks for it"};
}

}  // namespace

ConnectionHandle connect(const Target& target) {
  check_readable(target.ca);
  check_readable(target.certificate);
  check_readable(target.key);
  check_readable(target.server_public_key);
  auto options = options_for(target);
  try {
    ConnectionHandle connection{client().connect(options)};
    // The server's init_connect may have chosen another character set.
    const Text charset{connection->createStatement()};
    charset->execute("SET NAMES utf8mb4");
    check_encrypted(*connection, target);
    return connection;
  } catch (const sql::SQLException& error) {
    throw not_connected(error);
  }
}

}  // namespace tq::mysql_driver
