// Rows of the answers that sql/README.md declares, as values.
#pragma once

#include <span>

#include "tq/job.hpp"
#include "tq/queue.hpp"
#include "tq/statement.hpp"

namespace tq {

Job decode_claimed(std::span<const Value> row, const ClaimRequest& request);
JobRow decode_row(std::span<const Value> row);
JobFailure decode_failure(std::span<const Value> row);
QueueStats decode_stats(std::span<const Value> row);
Finish decode_finish(const Value& outcome);
JobId decode_id(const Value& value);

}  // namespace tq
