// What libpq and the server report, as tq::Error.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "tq/error.hpp"

namespace tq::libpq {

/// What the server says of a failed command. Views into its PGresult.
struct Report {
  std::string_view sqlstate = {};  ///< five characters; empty: libpq itself reports it
  std::string_view message = {};
  std::string_view detail = {};
  std::string_view hint = {};
};

/// The error for a report of the server. `statement` may be empty.
[[nodiscard]] Error translate(const Report& report, std::string_view statement);

/// The error for a command that gave `result`, which may be null.
[[nodiscard]] Error translate(const PGconn* connection, const PGresult* result,
                              std::string_view statement);

/// The connection is dead, or could not be made.
[[nodiscard]] Error lost(const PGconn* connection, std::string_view statement);

}  // namespace tq::libpq
