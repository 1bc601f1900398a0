// Installing, upgrading and checking the tables.
#pragma once

#include <string>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/error.hpp"

namespace tq {

/// The newest version that this library knows for the dialect.
[[nodiscard]] int schema_version(const Dialect& dialect) noexcept;

/// The version that is installed; 0: none.
[[nodiscard]] int installed_version(Connection& connection, const Dialect& dialect);

struct Installed {
  int from = 0;  ///< the version found; 0: none
  int to = 0;    ///< the version that is there now
};

/// Brings the tables to schema_version(). Idempotent; any number of processes may do it at once.
/// On a borrowed connection it joins the caller's transaction. Throws Errc::schema_newer.
Installed install_schema(Connection& connection, const Dialect& dialect);

/// The whole schema as a script for the engine's own shell; running it again does no harm.
[[nodiscard]] std::string schema_sql(const Dialect& dialect);

/// Throws Errc::schema_missing (none, or older) or Errc::schema_newer; says what to do.
void check_schema(Connection& connection, const Dialect& dialect);

}  // namespace tq
