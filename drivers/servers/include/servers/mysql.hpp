// What MySQL, MariaDB and their client libraries report, as tq::Error.
#pragma once

#include <string_view>

#include "servers/report.hpp"
#include "tq/error.hpp"

namespace tq::servers {

/// The error for a report, judged by its number (the server's; 2000 to 2999: the client library's),
/// else by its SQLSTATE. `statement` may be empty. A lock time-out says nothing of the transaction,
/// which a setting of the server decides about.
[[nodiscard]] Error mysql_error(const Report& report, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error mysql_not_connected(const Report& report);

}  // namespace tq::servers
