// The table clauses x servers: recorded by each process, merged by the last one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tq::conformance {

/// Makes GoogleTest write what it runs to `file` at the end.
void record_to(const std::filesystem::path& file);

/// What must have run; anything missing is a problem.
struct Required {
  std::vector<std::string> pairs;     ///< TQ_REQUIRE
  std::vector<std::string> versions;  ///< TQ_REQUIRE_VERSIONS: "engine 15"
};

/// Reads the records in `folder`/parts, writes `folder`/report.json and report.md, and gives what
/// is wrong: failures always; skips and missing tests, pairs and versions where they are required.
[[nodiscard]] std::vector<std::string> merge_report(const std::filesystem::path& folder,
                                                    const Required& required);

}  // namespace tq::conformance
