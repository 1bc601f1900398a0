// What an engine would do for the statements on a job's way.
#pragma once

#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/doctor.hpp"
#include "tq/error.hpp"

namespace tq {

/// Whether the role lacks a privilege, and nothing else is wrong.
[[nodiscard]] bool denied(const Error& error, const Dialect& dialect);

/// Explains, and does not run, the statements of claim, extend, finish and the reaper; one finding
/// for each of their files. On a connection of our own, outside a transaction.
[[nodiscard]] std::vector<Finding> examine_plans(Connection& connection, const Dialect& dialect);

}  // namespace tq
