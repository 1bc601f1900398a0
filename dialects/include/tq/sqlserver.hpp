// The dialect of SQL Server 2019 and newer.
#pragma once

#include "tq/dialect.hpp"

namespace tq {

/// Throws Errc::invalid_argument for a schema name that is not allowed.
[[nodiscard]] Dialect sqlserver(const DialectOptions& options = {});

}  // namespace tq
