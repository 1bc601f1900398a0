#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "batch.hpp"
#include "claim.hpp"
#include "decode.hpp"
#include "finish.hpp"
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
  const auto& operation = execution.dialect.claim.settle;
  if (operation.steps.empty()) return;
  const std::vector<Named> arguments{{"queue", queue}};
  // Most of the time nothing is unsettled, and a question needs no transaction.
  const auto& first = operation.steps.front();
  if (!joins(connection) && !first.columns().empty() &&
      read(connection, execution, first, arguments).empty()) {
    return;
  }
  perform(connection, execution, operation, arguments);
}

namespace {

std::vector<Named> pick_arguments(const ClaimRequest& request) {
  return {{"queue", request.queue},
          {"worker", request.worker},
          {"lease", request.lease.count()},
          {"n", static_cast<std::int64_t>(request.limit)}};
}

std::vector<Job> sorted(std::vector<Job> claimed) {
  std::ranges::sort(claimed, {}, [](const Job& job) {
    return std::tuple{-job.priority, job.run_at, job.job_id};
  });
  return claimed;
}

FinishedAndClaimed finish_then_claim(Connection& connection, const Execution& execution,
                                     std::span<const Judgement> judgements,
                                     const ClaimRequest& request) {
  if (joins(connection)) require_transaction(connection, "finish_and_claim");
  settle(connection, execution, request.queue);
  FinishedAndClaimed both;
  in_transaction(connection, execution, Duplicates::retried, [&] {
    both.finished = finish_all(connection, execution, judgements, Locks::pass_over);
    both.claimed = pick(connection, execution, request);
  });
  return both;
}

bool picks_at_once(const ClaimStatements& statements) {
  return !statements.probe && !statements.mark && can_be_sent_at_once(statements.pick);
}

}  // namespace

std::vector<Job> pick(Connection& connection, const Execution& execution,
                      const ClaimRequest& request) {
  const auto& statements = execution.dialect.claim;
  std::vector<Job> claimed;
  if (!statements.probe && !statements.mark) {
    claimed = decode(perform(connection, execution, statements.pick, pick_arguments(request),
                             Duplicates::retried),
                     request);
  } else {
    if (joins(connection)) require_transaction(connection, "claim");
    in_transaction(connection, execution, Duplicates::retried, [&] {
      claimed = PickByPriority{connection, statements, request}.run();
    });
  }
  return sorted(std::move(claimed));
}

std::vector<Job> Queue::claim(Connection& connection, const ClaimRequest& request) const {
  check_request(request);
  const Execution execution{dialect_, options_.retries};
  settle(connection, execution, request.queue);
  return pick(connection, execution, request);
}

FinishedAndClaimed Queue::finish_and_claim(Connection& connection,
                                           std::span<const Acknowledgement> batch,
                                           const ClaimRequest& request) const {
  check_request(request);
  const Execution execution{dialect_, options_.retries};
  const auto judgements = judgements_of(batch);
  const auto arrays = finish_arrays(judgements);
  if (arrays.size() != 1 || !picks_at_once(dialect_.claim) ||
      !can_be_sent_at_once(dialect_.finish) || joins(connection)) {
    return finish_then_claim(connection, execution, judgements, request);
  }
  settle(connection, execution, request.queue);
  const std::vector<Named> given{{"jobs", arrays.front()},
                                 {"wait", static_cast<std::int64_t>(Locks::pass_over)}};
  const auto wanted = pick_arguments(request);
  const std::array parts{Part{dialect_.finish, given, finish_needs(judgements, Locks::pass_over)},
                         Part{dialect_.claim.pick, wanted}};
  const auto rows = perform_at_once(connection, execution, parts, Duplicates::retried);
  FinishedAndClaimed both{.finished = std::vector<Finish>(batch.size(), Finish::gone),
                          .claimed = {}};
  keep_outcomes(rows[0], both.finished);
  both.claimed = sorted(decode(rows[1], request));
  return both;
}

}  // namespace tq
