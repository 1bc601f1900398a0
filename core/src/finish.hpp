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
  Lease lease = {};
  std::string_view verb = {};
  std::optional<Duration> delay = {};
  std::string error = {};
};

/// The judgements as the statement takes them: arrays that follow one another in one transaction.
/// Throws Errc::invalid_argument.
std::vector<std::string> finish_arrays(std::span<const Judgement> judgements);

/// The steps of finish that these judgements need.
Needs finish_needs(std::span<const Judgement> judgements, Locks locks);

/// Checked; throws Errc::invalid_argument naming the field.
std::vector<Judgement> judgements_of(std::span<const Acknowledgement> batch);

/// Puts the answers of one array where they belong.
void keep_outcomes(const Rows& rows, std::vector<Finish>& answers);

/// One transaction, answered in input order.
std::vector<Finish> finish_all(Connection& connection, const Execution& execution,
                               std::span<const Judgement> judgements, Locks locks);

}  // namespace tq
