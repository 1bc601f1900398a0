#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "batch.hpp"
#include "decode.hpp"
#include "run.hpp"
#include "tq/error.hpp"
#include "tq/queue.hpp"
#include "validate.hpp"

namespace tq {
namespace {

Argument optional_argument(const std::optional<std::string>& text) {
  if (!text) return std::monostate{};
  return std::string_view{*text};
}

// Ids in batches; an id that comes again starts a batch of its own, so it is judged afterwards.
std::vector<std::string> id_batches(std::span<const JobId> jobs) {
  Batches batches;
  std::vector<JobId> in_batch;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool repeat = std::ranges::count(in_batch, jobs[i]) > 0;
    if (repeat || in_batch.size() == max_batch_rows) in_batch.clear();
    in_batch.push_back(jobs[i]);
    batches.add({{"ord", i}, {"job_id", jobs[i].text()}},
                repeat ? Batches::Place::new_batch : Batches::Place::same_batch);
  }
  return batches.take();
}

template <class Decode>
void for_each_batch(Connection& connection, const Execution& execution, const Operation& operation,
                    std::span<const JobId> jobs, std::vector<Named> arguments,
                    Duplicates duplicates, Decode decode) {
  if (jobs.empty()) return;
  if (joins(connection)) require_transaction(connection, operation.steps.front().name());
  arguments.push_back({"jobs", std::monostate{}});
  in_transaction(connection, execution, duplicates, [&] {
    for (const auto& json : id_batches(jobs)) {
      arguments.back().value = json;
      const auto rows = run(connection, operation, arguments);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        decode(static_cast<std::size_t>(integer(rows[i][0])), rows[i]);
      }
    }
  });
}

template <class Outcome, std::size_t N>
Outcome parse(const std::array<Outcome, N>& outcomes, const std::string& text) {
  const auto found =
      std::ranges::find_if(outcomes, [&](Outcome outcome) { return name(outcome) == text; });
  if (found == outcomes.end()) {
    throw Error{Errc::failed, "the database answered '" + text + "', which is not an outcome"};
  }
  return *found;
}

// The lowest and the highest id that begin with a prefix.
std::string padded(std::string_view prefix, char digit) {
  std::string id{prefix};
  while (id.size() < 36) {
    const auto at = id.size();
    id += at == 8 || at == 13 || at == 18 || at == 23 ? '-' : digit;
  }
  return id;
}

std::vector<JobRow> decode_rows(const Rows& rows) {
  std::vector<JobRow> jobs;
  for (std::size_t i = 0; i < rows.size(); ++i) jobs.push_back(decode_row(rows[i]));
  return jobs;
}

}  // namespace

Queue::Queue(Dialect dialect, QueueOptions options)
    : dialect_(std::move(dialect)), options_(std::move(options)) {
  if (options_.retries.attempts < 1) {
    throw Error{Errc::invalid_argument, "retries.attempts: must be 1 or more"};
  }
}

std::vector<Cancelled> Queue::cancel(Connection& connection, std::span<const JobId> jobs) const {
  constexpr std::array outcomes{Cancelled::cancelled, Cancelled::requested, Cancelled::finished,
                                Cancelled::gone};
  std::vector<Cancelled> answers(jobs.size(), Cancelled::gone);
  for_each_batch(connection, {dialect_, options_.retries}, dialect_.cancel, jobs, {},
                 Duplicates::final, [&](std::size_t at, std::span<const Value> row) {
                   answers.at(at) = parse(outcomes, text(row[1]));
                 });
  return answers;
}

std::vector<Requeued> Queue::requeue(Connection& connection, std::span<const JobId> jobs,
                                     int extra_attempts) const {
  using Outcome = Requeued::Outcome;
  constexpr std::array outcomes{Outcome::requeued, Outcome::not_dead, Outcome::held, Outcome::gone};
  check_range("extra_attempts", extra_attempts, 1, 1'000'000);
  std::vector<Requeued> answers(jobs.size());
  // A key that is taken between the look for its holder and the update is found the next time.
  for_each_batch(connection, {dialect_, options_.retries}, dialect_.requeue, jobs,
                 {{"extra_attempts", std::int64_t{extra_attempts}}}, Duplicates::retried,
                 [&](std::size_t at, std::span<const Value> row) {
                   answers.at(at) = {parse(outcomes, text(row[1])),
                                     null(row[2]) ? JobId{} : decode_id(row[2])};
                 });
  return answers;
}

void Queue::pause(Connection& connection, const std::string& queue) const {
  check_name("queue", queue);
  const std::vector<Named> arguments{{"queue", queue}};
  perform(connection, {dialect_, options_.retries}, {{dialect_.pause}}, arguments);
}

void Queue::resume(Connection& connection, const std::string& queue) const {
  check_name("queue", queue);
  const std::vector<Named> arguments{{"queue", queue}};
  perform(connection, {dialect_, options_.retries}, {{dialect_.resume}}, arguments);
}

std::size_t Queue::purge(Connection& connection, const PurgeRequest& request) const {
  if (request.queue) check_name("queue", *request.queue);
  if (!final(request.state)) {
    throw Error{Errc::invalid_argument,
                "state: only succeeded, dead, cancelled and moved jobs can be purged"};
  }
  check_duration("older_than", request.older_than, Duration{0}, longest_duration);
  check_range("limit", static_cast<std::int64_t>(request.limit), 1, max_batch_rows);
  const std::vector<Named> arguments{{"queue", optional_argument(request.queue)},
                                     {"state", name(request.state)},
                                     {"older_than", request.older_than.count()},
                                     {"n", static_cast<std::int64_t>(request.limit)}};
  return perform(connection, {dialect_, options_.retries}, dialect_.purge, arguments).size();
}

std::vector<QueueStats> Queue::stats(Connection& connection,
                                     const std::optional<std::string>& queue) const {
  if (queue) check_name("queue", *queue);
  const std::vector<Named> arguments{{"queue", optional_argument(queue)},
                                     {"cap", QueueStats::final_count_cap}};
  const auto rows = read(connection, {dialect_, options_.retries}, dialect_.stats, arguments);
  std::vector<QueueStats> stats;
  for (std::size_t i = 0; i < rows.size(); ++i) stats.push_back(decode_stats(rows[i]));
  return stats;
}

std::int64_t Queue::finished(Connection& connection, const std::string& queue,
                             Duration span) const {
  check_name("queue", queue);
  check_duration("span", span, Duration{1}, std::chrono::hours{24});
  const std::vector<Named> arguments{{"queue", queue}, {"span", span.count()}};
  return integer(
      read(connection, {dialect_, options_.retries}, dialect_.finished, arguments)[0][0]);
}

std::vector<JobRow> Queue::list(Connection& connection, const ListRequest& request) const {
  if (request.queue) check_name("queue", *request.queue);
  if (request.kind) check_name("kind", *request.kind);
  check_range("limit", static_cast<std::int64_t>(request.limit), 1, max_batch_rows);
  const auto after = request.after ? std::optional{request.after->text()} : std::nullopt;
  const auto state =
      request.state ? std::optional{std::string{name(*request.state)}} : std::nullopt;
  const std::vector<Named> arguments{{"queue", optional_argument(request.queue)},
                                     {"kind", optional_argument(request.kind)},
                                     {"state", optional_argument(state)},
                                     {"after", optional_argument(after)},
                                     {"n", static_cast<std::int64_t>(request.limit)}};
  return decode_rows(read(connection, {dialect_, options_.retries}, dialect_.list, arguments));
}

std::vector<JobRow> Queue::find(Connection& connection, std::string_view prefix) const {
  const auto low = padded(prefix, '0');
  const auto high = padded(prefix, 'f');
  const auto from = JobId::parse(low);
  const auto to = JobId::parse(high);
  if (prefix.empty() || prefix.size() > 36 || !from || !to) {
    throw Error{Errc::invalid_argument,
                "job_id: give the first 1 to 36 characters of a job's id, such as 0198c0de-12"};
  }
  const auto lowest = from->text();
  const auto highest = to->text();
  const std::vector<Named> arguments{{"low", lowest}, {"high", highest}};
  return decode_rows(read(connection, {dialect_, options_.retries}, dialect_.find, arguments));
}

std::vector<JobFailure> Queue::failures(Connection& connection, JobId job) const {
  const auto id = job.text();
  const std::vector<Named> arguments{{"job_id", id}};
  const auto rows = read(connection, {dialect_, options_.retries}, dialect_.failures, arguments);
  std::vector<JobFailure> failures;
  for (std::size_t i = 0; i < rows.size(); ++i) failures.push_back(decode_failure(rows[i]));
  return failures;
}

Timestamp Queue::now(Connection& connection) const {
  return from_micros(
      integer(read(connection, {dialect_, options_.retries}, dialect_.now, {})[0][0]));
}

void Queue::announce_listening(Connection& connection, const std::string& queue,
                               Duration span) const {
  check_name("queue", queue);
  const std::vector<Named> arguments{{"queue", queue}, {"span", span.count()}};
  perform(connection, {dialect_, options_.retries}, {{dialect_.listening}}, arguments);
}

}  // namespace tq
