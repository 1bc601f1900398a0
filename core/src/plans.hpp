// What an engine would do for the statements on a job's way.
#pragma once

#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/doctor.hpp"

namespace tq {

/// What to do where a missing privilege keeps something from being examined.
inline constexpr auto run_as_worker = "run this once more as the role of a worker";

/// Explains, and does not run, the statements of claim, extend, finish and the reaper; one finding
/// for each of their files. On a connection of our own, outside a transaction.
[[nodiscard]] std::vector<Finding> examine_plans(Connection& connection, const Dialect& dialect);

}  // namespace tq
