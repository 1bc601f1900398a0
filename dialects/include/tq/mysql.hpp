// The dialect of MySQL 8.4 and newer, and of MariaDB 10.6 and newer, with InnoDB.
#pragma once

#include "tq/dialect.hpp"

namespace tq {

/// A schema is a database of the same server. Throws Errc::invalid_argument for a schema name that
/// is not allowed.
[[nodiscard]] Dialect mysql(const DialectOptions& options = {});

}  // namespace tq
