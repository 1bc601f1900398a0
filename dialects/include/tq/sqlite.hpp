// The dialect of SQLite 3.40 and newer.
#pragma once

#include "tq/dialect.hpp"

namespace tq {

/// Throws Errc::invalid_argument for a schema name that is not allowed.
[[nodiscard]] Dialect sqlite(const DialectOptions& options = {});

}  // namespace tq
