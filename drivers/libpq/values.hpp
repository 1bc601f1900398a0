// Parameters on their way out and rows on their way in.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <span>
#include <vector>

#include "tq/statement.hpp"

namespace tq::libpq {

/// The arguments of one call as libpq takes them: binary, so that text is sent from where it lies.
/// https://www.postgresql.org/docs/current/libpq-exec.html#LIBPQ-PQEXECPARAMS
class Parameters {
 public:
  /// The arguments must outlive it. Throws Errc::invalid_argument if they do not fit.
  Parameters(const Statement& statement, std::span<const Argument> arguments);

  [[nodiscard]] int count() const noexcept { return static_cast<int>(values_.size()); }
  [[nodiscard]] const Oid* types() const noexcept { return types_.data(); }
  [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }
  [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
  [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }

 private:
  void add(const Argument& argument);

  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<std::array<char, 8>> integers_;
};

/// The types of a statement's parameters, to prepare it with.
[[nodiscard]] std::vector<Oid> parameter_types(const Statement& statement);

/// The declared columns of a result. Throws Errc::failed if it does not have them.
[[nodiscard]] Rows read_rows(const Statement& statement, const PGresult* result);

}  // namespace tq::libpq
