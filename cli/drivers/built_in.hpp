// The drivers that this program was built with.
#pragma once

#include <vector>

#include "database.hpp"

namespace tq::cli {

/// One for each client library that was found at build time.
[[nodiscard]] std::vector<DriverEntry> built_in_drivers();

}  // namespace tq::cli
