// Which servers this run tests: those of the URLs given, or wherever the environment points.
#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct Choice {
  std::string pair = {};               ///< only this one; empty: all
  std::vector<std::string> urls = {};  ///< only these; empty: what the environment names
};

/// To be said before the first servers(). Throws UsageError for a pair or a URL that nobody takes.
void choose(Choice choice);

/// The servers of the choice. Asked once; throws RawError if one cannot be reached.
[[nodiscard]] const std::vector<Server>& servers();

/// The pair of this name; throws UsageError.
[[nodiscard]] const Pair& pair_named(const std::string& name);

/// The names of all pairs of this pair's dialect, its own among them.
[[nodiscard]] std::vector<std::string> pairs_beside(const std::string& pair);

/// The names in a comma-separated environment variable.
[[nodiscard]] std::vector<std::string> listed(const char* variable);

/// `message` without the passwords of the chosen URLs and of the environment.
[[nodiscard]] std::string without_passwords(std::string message);

/// For GoogleTest, which prints a test's parameter.
void PrintTo(const Server& server, std::ostream* out);  // NOLINT(readability-identifier-naming)

}  // namespace tq::conformance
