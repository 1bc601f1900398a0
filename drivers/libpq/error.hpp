// What libpq and the server report, as tq::Error.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "tq/error.hpp"

namespace tq::libpq {

/// The error for a command that gave `result`, which may be null.
[[nodiscard]] Error translate(const PGconn* connection, const PGresult* result,
                              std::string_view statement);

/// The connection is dead, or could not be made.
[[nodiscard]] Error lost(const PGconn* connection, std::string_view statement);

}  // namespace tq::libpq
