// Database URLs: `dialect[+driver]://rest`, their parameters, and hiding their passwords.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tq::cli {

/// A database URL in parts. The parts are texts of the URL as written, percent signs and all.
struct Url {
  std::string dialect = {};  ///< "postgresql" also for "postgres", "mysql" for "mariadb"
  std::string driver = {};   ///< empty: the dialect's default
  std::string rest = {};     ///< what follows "://", without our own parameters
  std::string schema = {};   ///< the parameter tq_schema, which the client library never sees

  /// For a driver: dialect://rest.
  [[nodiscard]] std::string text() const { return dialect + "://" + rest; }
};

/// Throws UsageError, without the password.
[[nodiscard]] Url parse_url(std::string_view text);

/// The URL with every password replaced by ***; never fails, and hides rather too much.
[[nodiscard]] std::string redacted(std::string_view url);

/// The password of the URL as written, if it has one.
[[nodiscard]] std::optional<std::string> password(std::string_view url);

/// `url` with the password put in, percent-encoded, unless it has one already.
[[nodiscard]] std::string with_password(const std::string& url, std::string_view secret);

/// `url` with the parameter `name=value` unless it has one of that name.
[[nodiscard]] std::string with_parameter(const std::string& url, std::string_view name,
                                         std::string_view value);

/// `text` with its percent signs resolved.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// `message` with every occurrence of `url` redacted, and of its password replaced.
[[nodiscard]] std::string without_password(std::string message, std::string_view url);

}  // namespace tq::cli
