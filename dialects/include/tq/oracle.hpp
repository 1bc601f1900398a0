// The dialect of Oracle Database 19c and newer.
#pragma once

#include "tq/dialect.hpp"

namespace tq {

/// A schema is a user of the same database. Throws Errc::invalid_argument for a schema name that is
/// not allowed.
[[nodiscard]] Dialect oracle(const DialectOptions& options = {});

}  // namespace tq
