// What Connector/C++ throws, as tq::Error.
#pragma once

#include <string_view>

#include "tq/error.hpp"

namespace sql {
class SQLException;
}  // namespace sql

namespace tq::mysql_driver {

/// The error for a failed command. `statement` may be empty.
[[nodiscard]] Error translate(const sql::SQLException& raised, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error not_connected(const sql::SQLException& raised);

/// The connection is known to be dead.
[[nodiscard]] Error lost(std::string_view statement);

}  // namespace tq::mysql_driver
