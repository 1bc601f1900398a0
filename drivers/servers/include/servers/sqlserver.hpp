// What SQL Server and its client libraries report, as tq::Error.
#pragma once

#include <string_view>

#include "servers/report.hpp"
#include "tq/error.hpp"

namespace tq::servers {

/// The error for a report, judged by its number (the server's; 20001 to 20999: FreeTDS's own), else
/// by its SQLSTATE. `statement` may be empty. Whether the transaction outlived an error that does
/// not end it by itself, XACT_ABORT decides, and only the server can tell.
[[nodiscard]] Error sqlserver_error(const Report& report, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error sqlserver_not_connected(const Report& report);

}  // namespace tq::servers
