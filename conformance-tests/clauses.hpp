// The contract's clauses, and which of them a test checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tq::conformance {

struct Clause {
  std::string id;     ///< "CLM-1"
  bool promised;      ///< false: planned, not promised yet
  std::string title;  ///< in one line
};

/// The lines of clauses.txt.
[[nodiscard]] std::vector<Clause> all_clauses();

/// The clauses that a test's name begins with: "LSE_3_FIN_2_EndedLease" gives LSE-3 and FIN-2.
[[nodiscard]] std::vector<std::string> clauses_of(std::string_view test_name);

}  // namespace tq::conformance
