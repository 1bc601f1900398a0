// The table clauses x servers: recorded by each process, merged by the last one.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "results.hpp"
#include "stand_in.hpp"

namespace tq::conformance {

/// Makes GoogleTest write what it runs to `file` at the end.
void record_to(const std::filesystem::path& file);

/// What must have run; anything missing is a problem.
struct Required {
  std::vector<std::string> pairs;     ///< TQ_REQUIRE, and those of a whole run
  std::vector<std::string> versions;  ///< TQ_REQUIRE_VERSIONS: "engine 15"
};

/// What was tested, and the engines that were not.
struct Report {
  Instances instances = {};
  std::vector<Absent> absent = {};
};

/// Writes `folder`/report.json and report.md, and gives what is wrong: failures always; skips and
/// missing tests, pairs and versions where they are required. An absent engine is not wrong.
[[nodiscard]] std::vector<std::string> write_report(const std::filesystem::path& folder,
                                                    const Report& report, const Required& required);

/// The same table for a person at a terminal, with what there is to say below it, but without the
/// clauses of which nothing ran.
void print_table(std::ostream& out, const Report& report);

}  // namespace tq::conformance
