// The command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "servers.hpp"

namespace tq::conformance {

struct Options {
  Choice choice = {};
  std::filesystem::path report = "conformance";
  std::string part = {};                     ///< empty: the whole, with a report
  bool merge = false;                        ///< make the report of all parts
  bool clear = false;                        ///< remove the parts
  bool verbose = false;                      ///< GoogleTest's own output
  bool scale = false;                        ///< with the tests that take minutes
  std::vector<std::string> googletest = {};  ///< its options

  /// Whether some tests were picked, so that others are not missed.
  [[nodiscard]] bool picked() const;
};

/// nullopt: the help was asked for and printed. Throws UsageError.
[[nodiscard]] std::optional<Options> parse(int argc, char** argv);

}  // namespace tq::conformance
