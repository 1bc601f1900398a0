// What PostgreSQL reports, as tq::Error.
#pragma once

#include <string_view>

#include "servers/report.hpp"
#include "tq/error.hpp"

namespace tq::servers {

/// The error for a report, judged by its SQLSTATE. `statement` may be empty.
[[nodiscard]] Error postgresql_error(const Report& report, std::string_view statement);

}  // namespace tq::servers
