// Which servers this run tests: every pair that was built, wherever the environment points.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

/// Of which pair the servers are wanted; empty: of all. To be said before the first servers().
void choose_pair(std::string pair);

/// The servers of the chosen pairs. Asked once; throws RawError if one cannot be reached.
[[nodiscard]] const std::vector<Server>& servers();

/// The names in a comma-separated environment variable.
[[nodiscard]] std::vector<std::string> listed(const char* variable);

/// For GoogleTest, which prints a test's parameter.
void PrintTo(const Server& server, std::ostream* out);  // NOLINT(readability-identifier-naming)

}  // namespace tq::conformance
