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

constexpr std::string_view expired = "expired";

bool fails(const Judgement& one) { return one.verb == name(Verb::failed) || one.verb == expired; }

// Written by hand: a worker makes thousands of these a second.
std::string judgement_row(std::size_t position, const Judgement& one) {
  std::string row = R"({"ord":)" + std::to_string(position);
  row.append(R"(,"job_id":")").append(one.lease.job_id.text());
  row.append(R"(","generation":)").append(std::to_string(one.lease.generation));
  row.append(R"(,"worker":)");
  append_json_text(row, one.lease.worker);
  row.append(R"(,"verb":")").append(one.verb).append("\"");
  if (one.delay) row.append(R"(,"delay":)").append(std::to_string(one.delay->count()));
  if (fails(one)) {
    row.append(R"(,"error":)");
    append_json_text(row, storable_error(one.error));
  }
  return row + "}";
}

}  // namespace

std::vector<std::string> finish_arrays(std::span<const Judgement> judgements) {
  Batches batches;
  std::set<JobId> in_batch;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const auto& id = judgements[i].lease.job_id;
    // The second word on a job must be judged after the first was carried out.
    const bool repeat = !in_batch.insert(id).second;
    if (repeat) in_batch = {id};
    const auto row = judgement_row(i, judgements[i]);
    batches.add(std::string_view{row},
                repeat ? Batches::Place::new_batch : Batches::Place::same_batch);
  }
  return batches.take();
}

Needs finish_needs(std::span<const Judgement> judgements, Locks locks) {
  const auto in_group = [](const Judgement& one) { return one.lease.grouped; };
  return {.waiting = locks == Locks::wait,
          .failed = std::ranges::any_of(judgements, fails),
          .grouped = std::ranges::any_of(judgements, in_group)};
}

std::vector<Judgement> judgements_of(std::span<const Acknowledgement> batch) {
  std::vector<Judgement> judgements;
  judgements.reserve(batch.size());
  for (const auto& ack : batch) judgements.push_back(judgement(ack));
  return judgements;
}

void keep_outcomes(const Rows& rows, std::vector<Finish>& answers) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    answers.at(static_cast<std::size_t>(integer(rows[i][0]))) = decode_finish(rows[i][1]);
  }
}

std::vector<Finish> finish_all(Connection& connection, const Execution& execution,
                               std::span<const Judgement> judgements, Locks locks) {
  const auto arrays = finish_arrays(judgements);
  const auto needs = finish_needs(judgements, locks);
  std::vector<Finish> answers(judgements.size(), Finish::gone);
  const auto arguments = [&](const std::string& json) {
    return std::vector<Named>{{"jobs", json}, {"wait", static_cast<std::int64_t>(locks)}};
  };
  const auto& operation = execution.dialect.finish;
  if (arrays.size() == 1) {
    keep_outcomes(perform(connection, execution, operation, arguments(arrays.front()),
                          Duplicates::final, needs),
                  answers);
  } else if (!arrays.empty()) {
    if (joins(connection)) require_transaction(connection, "finish");
    in_transaction(connection, execution, Duplicates::final, [&] {
      for (const auto& json : arrays) {
        keep_outcomes(run(connection, operation, arguments(json), needs), answers);
      }
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
  return finish_all(connection, {dialect_, options_.retries}, judgements_of(batch),
                    Locks::pass_over);
}

namespace {

Finish finish_one(Connection& connection, const Execution& execution, const Acknowledgement& ack) {
  const auto one = judgement(ack);
  // Busy is one that somebody changed while its row was waited for: its row can be read now.
  Finish answer = Finish::busy;
  while (answer == Finish::busy) {
    answer = finish_all(connection, execution, std::span{&one, 1}, Locks::wait).front();
  }
  return answer;
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
      Judgement& one = judgements.emplace_back();
      one.lease.job_id = decode_id(rows[i][0]);
      one.lease.generation = integer(rows[i][1]);
      one.lease.worker = text(rows[i][2]);
      one.verb = expired;
      one.delay = options_.backoff.delay(integer(rows[i][3]));
      one.error = "the lease ended before the worker finished the job";
    }
    const auto answers = finish_all(connection, execution, judgements, Locks::pass_over);
    reaped = static_cast<std::size_t>(std::ranges::count(answers, Finish::done));
  });
  return reaped;
}

}  // namespace tq
