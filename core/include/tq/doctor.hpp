// Whether a database is fit for the queue, and what to do where it is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"

namespace tq {

enum class Verdict : std::uint8_t {
  ok,
  advice,   ///< the queue works; somebody should know this, or could have it better
  problem,  ///< the queue does not work, or will not for long, or jobs may be lost
};
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// One thing that was looked at.
struct Finding {
  std::string subject = {};
  Verdict verdict = Verdict::ok;
  std::string found = {};
  std::string advice = {};  ///< what to do; empty where nothing is to be done
};

/// Looks at the clock, the server's settings, the tables, the plans of the statements on a job's
/// way, and whether they can be changed, in this order; tells also of what is fine. Works without
/// the tables, and changes nothing. On a borrowed connection, or in an open transaction, it leaves
/// out what needs a transaction of its own, and says so. Throws Errc::connection_lost; on a
/// borrowed connection every error, since the caller's transaction may have failed by it.
[[nodiscard]] std::vector<Finding> examine(Connection& connection, const Dialect& dialect);

}  // namespace tq
