#include <algorithm>
#include <nlohmann/json.hpp>

#include "batch.hpp"
#include "claim.hpp"
#include "decode.hpp"
#include "run.hpp"
#include "tq/error.hpp"
#include "tq/queue.hpp"
#include "validate.hpp"

namespace tq {
namespace {

constexpr Duration shortest_lease = std::chrono::milliseconds{1};
constexpr Duration longest_lease = std::chrono::hours{24 * 100};

std::vector<Job> decode(const Rows& rows, const ClaimRequest& request) {
  std::vector<Job> jobs;
  jobs.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) jobs.push_back(decode_claimed(rows[i], request));
  return jobs;
}

// Picks by priority, inside one open transaction.
class PickByPriority {
 public:
  PickByPriority(Connection& connection, const ClaimStatements& statements,
                 const ClaimRequest& request)
      : connection_(connection), statements_(statements), request_(request) {}

  std::vector<Job> run() {
    std::vector<Job> claimed;
    if (!statements_.probe) {
      pick(claimed, 0);
      return claimed;
    }
    const auto priorities = tq::run(connection_, *statements_.probe, arguments(0, 0));
    for (std::size_t i = 0; i < priorities.size() && claimed.size() < request_.limit; ++i) {
      pick(claimed, integer(priorities[i][0]));
    }
    return claimed;
  }

 private:
  std::vector<Named> arguments(std::int64_t priority, std::size_t held) const {
    return {{"queue", request_.queue},
            {"worker", request_.worker},
            {"lease", request_.lease.count()},
            {"priority", priority},
            {"n", static_cast<std::int64_t>(request_.limit - held)}};
  }

  void pick(std::vector<Job>& claimed, std::int64_t priority) {
    auto given = arguments(priority, claimed.size());
    const auto rows = tq::run(connection_, statements_.pick, given);
    if (statements_.mark && !rows.empty()) {
      const auto picked = to_json(rows, answer_columns(statements_.pick));
      given.push_back({"picked", picked});
      tq::run(connection_, *statements_.mark, given);
    }
    std::ranges::move(decode(rows, request_), std::back_inserter(claimed));
  }

  Connection& connection_;
  const ClaimStatements& statements_;
  const ClaimRequest& request_;
};

}  // namespace

void check_request(const ClaimRequest& request) {
  check_name("queue", request.queue);
  check_name("worker", request.worker);
  check_range("limit", static_cast<std::int64_t>(request.limit), 1, max_batch_rows);
  check_duration("lease", request.lease, shortest_lease, longest_lease);
}

void settle(Connection& connection, const Execution& execution, const std::string& queue) {
  const std::vector<Named> arguments{{"queue", queue}};
  perform(connection, execution, execution.dialect.claim.settle, arguments);
}

std::vector<Job> pick(Connection& connection, const Execution& execution,
                      const ClaimRequest& request) {
  const auto& statements = execution.dialect.claim;
  std::vector<Job> claimed;
  if (!statements.probe && !statements.mark) {
    const std::vector<Named> arguments{{"queue", request.queue},
                                       {"worker", request.worker},
                                       {"lease", request.lease.count()},
                                       {"n", static_cast<std::int64_t>(request.limit)}};
    claimed = decode(
        perform(connection, execution, statements.pick, arguments, Duplicates::retried), request);
  } else {
    if (joins(connection)) require_transaction(connection, "claim");
    in_transaction(connection, execution, Duplicates::retried, [&] {
      claimed = PickByPriority{connection, statements, request}.run();
    });
  }
  std::ranges::sort(claimed, {}, [](const Job& job) {
    return std::tuple{-job.priority, job.run_at, job.job_id};
  });
  return claimed;
}

std::vector<Job> Queue::claim(Connection& connection, const ClaimRequest& request) const {
  check_request(request);
  const Execution execution{dialect_, options_.retries};
  settle(connection, execution, request.queue);
  return pick(connection, execution, request);
}

}  // namespace tq
