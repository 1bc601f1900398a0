// Parameters on their way out and rows on their way in.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "session_backend.hpp"

namespace tq::soci_driver {

/// Throws Errc::invalid_argument if the arguments do not fit the statement's parameters, or if a
/// text has a NUL character, where most backends would end it.
void check_arguments(const Statement& statement, std::span<const Argument> arguments);

/// A statement that is prepared on a session, with the places that SOCI takes values from and puts
/// them into. The session must outlive it.
class Prepared {
 public:
  /// Throws soci::soci_error.
  Prepared(soci::session& session, Backend& backend, const Statement& statement,
           soci::details::statement_type type);

  /// `statement` is the one that it was prepared from. Throws soci::soci_error and Error.
  [[nodiscard]] Rows run(Backend& backend, const Statement& statement,
                         std::span<const Argument> arguments);

  /// Lets go of the buffers that SOCI has not freed after an error: it would take the old value
  /// from them where the next one is null.
  void clean() { prepared_.undefine_and_bind(); }

 private:
  struct Out {
    std::string text = {};
    long long number = 0;  // the type that SOCI knows, as wide as int64
    soci::indicator indicator = soci::i_ok;
  };
  struct In {
    std::string text = {};
    soci::indicator indicator = soci::i_ok;
  };

  void bind(std::span<const Argument> arguments);
  void read_row(const Statement& statement, Rows& rows) const;

  std::vector<std::size_t> order_;
  std::vector<Out> out_;  // both keep their length, since SOCI points into them
  std::vector<In> in_;
  soci::statement prepared_;
};

}  // namespace tq::soci_driver
