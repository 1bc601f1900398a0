// What GoogleTest does not know of its JUnit report.
#pragma once

#include <filesystem>
#include <vector>

#include "stand_in.hpp"

namespace tq::conformance {

/// Adds to `file`, which GoogleTest has written, a suite for each absent engine: its clauses as
/// skipped test cases, each with the reason.
void add_skipped(const std::filesystem::path& file, const std::vector<Absent>& absent);

}  // namespace tq::conformance
