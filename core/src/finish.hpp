// The one way in which a claim ends, for workers and the reaper alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run.hpp"
#include "tq/job.hpp"

namespace tq {

/// A row that another transaction holds is waited for, or answered Finish::busy.
enum class Locks : std::int64_t { pass_over = 0, wait = 1 };

/// One acknowledgement as the statement takes it; `verb` may also be the reaper's "expired".
struct Judgement {
  Lease lease;
  std::string_view verb;
  std::optional<Duration> delay;
  std::string error;
};

/// One transaction, answered in input order.
std::vector<Finish> finish_all(Connection& connection, const Execution& execution,
                               std::span<const Judgement> judgements, Locks locks);

}  // namespace tq
