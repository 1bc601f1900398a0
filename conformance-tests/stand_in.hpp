// Engines that a run may be without, and what a stand-in showed of each clause. A stand-in is a
// program that takes an engine's SQL without being the engine: what holds on it is no result of the
// engine, and nowhere counted as one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clauses.hpp"
#include "results.hpp"

namespace tq::conformance {

/// What a stand-in showed of a clause.
struct Shown {
  std::string verdict = {};  ///< "right", "partly", "no-evidence", "failed" or "not-runnable"
  std::string reason = {};   ///< empty only where it is "right"
};

struct StandIn {
  std::string name = {};    ///< "Babelfish 4.3"
  std::string date = {};    ///< of its run
  std::string driver = {};  ///< by which it was asked
  std::map<std::string, Shown> clauses = {};
};

/// An engine of which no server was named.
struct Absent {
  std::string engine = {};
  std::optional<StandIn> stand_in = {};
};

/// A file of stand-ins/: the three head lines, and a line for each clause that is promised. Throws
/// std::invalid_argument, which names the line, for anything else.
[[nodiscard]] StandIn parse_stand_in(std::string_view text, const std::vector<Clause>& clauses);

/// Of the engines of stand-ins/ those that none of `instances` is a server of.
[[nodiscard]] std::vector<Absent> absent_from(const Instances& instances);

/// "not run here; Babelfish 4.3: no evidence", or "not run here" where no stand-in showed anything.
[[nodiscard]] std::string words_for(const Absent& absent, const Clause& clause);

/// "not run here; Babelfish 4.3 (2026-11-30, by FreeTDS): 40 right, 3 no evidence".
[[nodiscard]] std::string summary_of(const Absent& absent);

}  // namespace tq::conformance
