// What SociConnection::open() was asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "servers/url.hpp"

namespace tq::soci_driver {

/// A URL in parts, of which parameters are taken one after another.
class Url {
 public:
  /// Reads `dialect://rest` or `dialect+soci://rest`. Throws Errc::invalid_argument, without a part
  /// of the URL that may hold a password.
  explicit Url(const std::string& text);

  [[nodiscard]] const std::string& dialect() const noexcept { return dialect_; }
  [[nodiscard]] const servers::Url& parts() const noexcept { return parts_; }

  /// SOCI's name of the backend that is wanted: the engine's own, or with `backend=odbc` that one,
  /// which is also the only one for engines that SOCI has none for.
  [[nodiscard]] std::string take_backend();

  /// The value of a parameter, written with underscores here and with these or hyphens in the URL.
  /// It is then no longer there.
  [[nodiscard]] std::optional<std::string> take(std::string_view name);
  /// The same, as one of `allowed`, words separated by blanks; nothing named: the first of them.
  [[nodiscard]] std::string take_word(std::string_view name, std::string_view allowed);
  struct Range {
    int least;
    int most;
    int otherwise;
  };
  [[nodiscard]] int take_number(std::string_view name, const Range& range);

  /// Refuses the URL if a parameter is left. `known` lists those that there are.
  void finish(std::string_view known) const;

  /// Throws Errc::invalid_argument: why, and what is wanted.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  [[nodiscard]] const servers::UrlForm& form() const noexcept;

  std::string dialect_;
  servers::Url parts_;
};

}  // namespace tq::soci_driver
