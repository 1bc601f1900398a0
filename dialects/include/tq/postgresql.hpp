// The dialect of PostgreSQL 14 and newer.
#pragma once

#include "tq/dialect.hpp"

namespace tq {

/// Throws Errc::invalid_argument for a schema name that is not allowed.
[[nodiscard]] Dialect postgresql(const DialectOptions& options = {});

}  // namespace tq
