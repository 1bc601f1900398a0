// What is known of each clause on each server, read from the records of the test processes.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clauses.hpp"

namespace tq::conformance {

/// One clause on one instance.
struct Cell {
  int passed = 0;
  std::vector<std::string> failed = {};
  std::vector<std::string> skipped = {};
  std::set<std::string> weaker = {};  ///< the declared weaker promises

  /// "pass", "weaker", "fail", "skipped" or "no test".
  [[nodiscard]] std::string status() const;
};

struct Instance {
  std::string pair = {};
  std::string version = {};
  std::map<std::string, Cell> cells = {};  ///< by clause
};

/// By the instance's name.
using Instances = std::map<std::string, Instance>;

/// All records in a folder, which may be missing.
[[nodiscard]] Instances read_parts(const std::filesystem::path& folder);

/// Cell::status(), or "planned", or "no test".
[[nodiscard]] std::string status_of(const Clause& clause, const Instance& instance);

/// What stands below the table, a line each: "CLM-2, `instance`, weaker: why".
[[nodiscard]] std::vector<std::string> remarks(const Instances& instances);

}  // namespace tq::conformance
