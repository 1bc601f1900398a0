#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "batch.hpp"
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

void check(const Lease& held) {
  check_name("worker", held.worker);
  check_range("generation", held.generation, 1, std::numeric_limits<std::int64_t>::max());
}

nlohmann::json lease_row(std::size_t position, const Lease& held) {
  return {{"ord", position},
          {"job_id", held.job_id.text()},
          {"generation", held.generation},
          {"worker", held.worker}};
}

Judgement judgement(const Acknowledgement& ack) {
  check(ack.lease);
  if (ack.delay) check_duration("delay", *ack.delay, Duration{0}, longest_duration);
  if (ack.verb == Verb::snoozed && !ack.delay) {
    throw Error{Errc::invalid_argument, "delay: a snooze needs one"};
  }
  return {ack.lease, name(ack.verb), ack.delay, ack.error};
}

Extension decode_extension(std::span<const Value> row) {
  Extension extension{.outcome = decode_finish(row[1])};
  if (extension.outcome == Finish::done) {
    extension.lease_until = from_micros(integer(row[2]));
    extension.cancel_requested = integer(row[3]) != 0;
  }
  return extension;
}

std::vector<Extension> extend_all(Connection& connection, const Execution& execution,
                                  std::span<const Lease> held, Duration lease, Locks locks) {
  check_duration("lease", lease, shortest_lease, longest_lease);
  Batches batches;
  for (std::size_t i = 0; i < held.size(); ++i) {
    check(held[i]);
    batches.add(lease_row(i, held[i]));
  }
  std::vector<Extension> answers(held.size());
  for (const auto& json : batches.take()) {
    const std::vector<Named> arguments{
        {"jobs", json}, {"lease", lease.count()}, {"wait", static_cast<std::int64_t>(locks)}};
    const auto rows = perform(connection, execution, execution.dialect.extend, arguments);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      answers.at(static_cast<std::size_t>(integer(rows[i][0]))) = decode_extension(rows[i]);
    }
  }
  return answers;
}

}  // namespace

std::vector<Finish> finish_all(Connection& connection, const Execution& execution,
                               std::span<const Judgement> judgements, Locks locks) {
  Batches batches;
  std::set<JobId> in_batch;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const auto& one = judgements[i];
    auto row = lease_row(i, one.lease);
    row["verb"] = one.verb;
    row["delay"] = one.delay ? nlohmann::json(one.delay->count()) : nullptr;
    row["error"] = storable_error(one.error);
    // The second word on a job must be judged after the first was carried out.
    const bool repeat = !in_batch.insert(one.lease.job_id).second;
    if (repeat) in_batch = {one.lease.job_id};
    batches.add(row, repeat ? Batches::Place::new_batch : Batches::Place::same_batch);
  }
  const auto arrays = batches.take();
  std::vector<Finish> answers(judgements.size(), Finish::gone);
  const auto keep = [&](const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      answers.at(static_cast<std::size_t>(integer(rows[i][0]))) = decode_finish(rows[i][1]);
    }
  };
  const auto arguments = [&](const std::string& json) {
    return std::vector<Named>{{"jobs", json}, {"wait", static_cast<std::int64_t>(locks)}};
  };
  const auto& operation = execution.dialect.finish;
  if (arrays.size() == 1) {
    keep(perform(connection, execution, operation, arguments(arrays.front())));
  } else if (!arrays.empty()) {
    if (joins(connection)) require_transaction(connection, "finish");
    in_transaction(connection, execution, Duplicates::final, [&] {
      for (const auto& json : arrays) keep(run(connection, operation, arguments(json)));
    });
  }
  return answers;
}

Extension Queue::extend(Connection& connection, const Lease& held, Duration lease) const {
  return extend_all(connection, {dialect_, options_.retries}, std::span{&held, 1}, lease,
                    Locks::wait)
      .front();
}

std::vector<Extension> Queue::extend(Connection& connection, std::span<const Lease> held,
                                     Duration lease) const {
  return extend_all(connection, {dialect_, options_.retries}, held, lease, Locks::pass_over);
}

std::vector<Finish> Queue::finish(Connection& connection,
                                  std::span<const Acknowledgement> batch) const {
  std::vector<Judgement> judgements;
  judgements.reserve(batch.size());
  for (const auto& ack : batch) judgements.push_back(judgement(ack));
  return finish_all(connection, {dialect_, options_.retries}, judgements, Locks::pass_over);
}

namespace {

Finish finish_one(Connection& connection, const Execution& execution, const Acknowledgement& ack) {
  const auto one = judgement(ack);
  return finish_all(connection, execution, std::span{&one, 1}, Locks::wait).front();
}

}  // namespace

Finish Queue::complete(Connection& connection, const Lease& held) const {
  return finish_one(connection, {dialect_, options_.retries}, {held, Verb::completed});
}

Finish Queue::fail(Connection& connection, const Lease& held, const Failure& failure) const {
  if (failure.retry_in) {
    check_duration("retry_in", *failure.retry_in, Duration{0}, longest_duration);
  }
  std::optional<Duration> delay;
  if (failure.then == Failure::Then::retry) {
    delay = failure.retry_in ? *failure.retry_in : options_.backoff.delay(held.generation);
  }
  return finish_one(connection, {dialect_, options_.retries},
                    {held, Verb::failed, delay, failure.error});
}

Finish Queue::snooze(Connection& connection, const Lease& held, Duration delay) const {
  return finish_one(connection, {dialect_, options_.retries}, {held, Verb::snoozed, delay});
}

Finish Queue::release(Connection& connection, const Lease& held) const {
  return finish_one(connection, {dialect_, options_.retries}, {held, Verb::released});
}

Finish Queue::acknowledge_cancel(Connection& connection, const Lease& held) const {
  return finish_one(connection, {dialect_, options_.retries}, {held, Verb::cancelled});
}

std::size_t Queue::reap(Connection& connection, std::size_t limit) const {
  check_range("limit", static_cast<std::int64_t>(limit), 1, max_batch_rows);
  const Execution execution{dialect_, options_.retries};
  if (joins(connection)) require_transaction(connection, "reap");
  std::size_t reaped = 0;
  in_transaction(connection, execution, Duplicates::final, [&] {
    const std::vector<Named> arguments{{"n", static_cast<std::int64_t>(limit)}};
    const auto rows = run(connection, dialect_.expired, arguments);
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto attempts = integer(rows[i][3]);
      judgements.push_back({{decode_id(rows[i][0]), integer(rows[i][1]), text(rows[i][2])},
                            "expired",
                            options_.backoff.delay(attempts),
                            "the lease ended before the worker finished the job"});
    }
    const auto answers = finish_all(connection, execution, judgements, Locks::pass_over);
    reaped = static_cast<std::size_t>(std::ranges::count(answers, Finish::done));
  });
  return reaped;
}

}  // namespace tq
