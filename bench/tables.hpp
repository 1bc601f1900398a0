// Tables of a run's own.
#pragma once

#include <string>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"

namespace tq::bench {

/// A name that no other run has, for a schema or a file: "tqb_" and eight characters.
[[nodiscard]] std::string new_place_name();

/// The name of the second place that a workload may need.
[[nodiscard]] std::string beside(const std::string& place);

/// Throws Errc::unsupported where a schema cannot be made by who may make tables.
void check_can_be_made(const Dialect& dialect);

/// Removes the tables, as far as they are there, and the schema `place` that holds them.
void remove_tables(Connection& connection, const std::string& place);

}  // namespace tq::bench
