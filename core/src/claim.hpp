// The claim in its two transactions.
#pragma once

#include <string>
#include <vector>

#include "run.hpp"
#include "tq/job.hpp"
#include "tq/queue.hpp"

namespace tq {

/// Throws Errc::invalid_argument naming the field.
void check_request(const ClaimRequest& request);

/// Opens group heads that no finish could see. A transaction of its own, so that what it locks is
/// not held for as long as what is claimed; on a joined connection it is part of the caller's.
void settle(Connection& connection, const Execution& execution, const std::string& queue);

/// Makes eligible jobs running and returns them in order.
std::vector<Job> pick(Connection& connection, const Execution& execution,
                      const ClaimRequest& request);

}  // namespace tq
