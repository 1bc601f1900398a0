// What the files of backends/ share: a pair is made of a dialect's half and a client library's.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

/// A client library's half. URLs come to it as dialect://rest, with their password.
struct Client {
  std::string driver;  ///< "libpq", as in postgresql+libpq://
  /// The dialect's URLs mean this driver where they name none.
  bool is_default = false;
  /// A connection of the library's own.
  std::function<std::unique_ptr<Connection>(const std::string& url,
                                            const std::vector<std::string>& session)>
      open;
  /// One of an application. Throws RawError.
  std::function<std::unique_ptr<RawConnection>(const std::string& url)> raw;
  /// What connections by this URL cannot have.
  std::function<Limits(const std::string& url)> limits = {};
  /// Tells servers of such URLs from others of the same version; at the end of Server::instance.
  std::function<std::string(const std::string& url)> suffix = {};
};

// A dialect's half with a client's.

/// A place is a schema.
[[nodiscard]] Pair postgresql_with(const Client& client);
/// A place is a database; MySQL and MariaDB.
[[nodiscard]] Pair mysql_with(const Client& client);
/// A place is a user. The client's raw connections are to commit nothing by themselves, or no text
/// could keep a transaction open.
[[nodiscard]] Pair oracle_with(const Client& client);
/// Needs no server: a place is a folder with a file, and the URL names the folder that it is made
/// in. The client's URLs are sqlite:////absolute/file, also with ?busy_timeout=MILLISECONDS.
[[nodiscard]] Pair sqlite_with(const Client& client);
/// A place is a schema of the database that the URL names.
[[nodiscard]] Pair sqlserver_with(const Client& client);

/// The schemes of a pair's URLs, for a dialect called by these names.
[[nodiscard]] std::vector<std::string> schemes(const Client& client,
                                               const std::vector<std::string>& dialects);

/// `url` as a client's half takes it: without the driver's name and parameters of ours, and with
/// TQ_DATABASE_PASSWORD where it has no password.
[[nodiscard]] std::string address(const std::string& url);

/// The statement's text with its arguments in it, each written by `literal`.
[[nodiscard]] std::string inlined(
    const Statement& statement, std::span<const Argument> arguments,
    const std::function<std::string(const Field&, const Argument&)>& literal);

/// In single quotes, those inside doubled.
[[nodiscard]] std::string text_literal(std::string_view text);

/// The statements of a script; none of ours has a semicolon inside.
[[nodiscard]] std::vector<std::string> statements_of(const std::string& script);

/// The parts of a script between its lines GO, as sqlcmd sends them, without its own commands,
/// which begin with a colon.
[[nodiscard]] std::vector<std::string> batches_of(const std::string& script);

}  // namespace tq::conformance
