// What MySQL, MariaDB and their client library report, as tq::Error.
#pragma once

#include <string>
#include <string_view>

#include "tq/error.hpp"

namespace tq::mysql_driver {

/// What was reported of a failed command.
struct Report {
  int number = 0;  ///< the server's; 2000 to 2999: the client library's; 0: Connector/C++ itself
  std::string_view sqlstate = {};
  std::string_view message = {};
};

/// The error for a report. `statement` may be empty. A lock time-out says nothing of the
/// transaction, which a setting of the server decides about.
[[nodiscard]] Error translate(const Report& report, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error not_connected(const Report& report);

/// The connection is known to be dead.
[[nodiscard]] Error lost(std::string_view statement);

}  // namespace tq::mysql_driver
