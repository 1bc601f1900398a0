// What ODBC reports, as tq::Error.
#pragma once

#include <string>
#include <string_view>

#include "handles.hpp"
#include "quirks.hpp"
#include "servers/server.hpp"
#include "tq/error.hpp"

namespace tq::odbc {

/// A call that failed, as the driver manager or the ODBC driver reports it.
struct Failure {
  std::string sqlstate = {};
  int number = 0;            ///< the native error
  std::string message = {};  ///< without "[vendor][driver]"
  std::string detail = {};   ///< what psqlodbc puts behind DETAIL
};

/// What a diagnostic record says. `text` is its message as it is.
[[nodiscard]] Failure failure_of(std::string_view sqlstate, int number, std::string_view text);

/// The first record of a handle, which tells why its last call failed.
[[nodiscard]] Failure read_failure(SQLSMALLINT kind, SQLHANDLE handle);

/// Throws Failure unless the call succeeded, with or without a row.
void check(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle);

/// The error for a failure at `server`. `statement` may be empty.
[[nodiscard]] Error translate(const servers::Server& server, const Quirks& quirks,
                              const Failure& failure, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error not_connected(const servers::Server& server, const Failure& failure);

/// The connection is known to be dead.
[[nodiscard]] Error lost(std::string_view statement);

}  // namespace tq::odbc
