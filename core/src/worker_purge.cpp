#include "worker_purge.hpp"

#include <algorithm>

namespace tq {
namespace {

constexpr std::size_t smallest_batch = 10;
constexpr std::size_t largest_batch = 200;
// To delete a payload of a megabyte may take 30 ms, and a heartbeat may be waiting.
constexpr Duration long_step = std::chrono::milliseconds{200};
constexpr Duration least_pause = std::chrono::milliseconds{10};
constexpr Duration busy_pause = std::chrono::seconds{1};
constexpr int share = 2;         // it pauses for twice as long as it has worked
constexpr int longest_turn = 4;  // rounds' pauses

Queue trying_once(const Queue& queue) {
  auto options = queue.options();
  options.retries.attempts = 1;
  return Queue{queue.dialect(), std::move(options)};
}

Duration elapsed(Clock::time_point since) {
  return std::chrono::duration_cast<Duration>(Clock::now() - since);
}

}  // namespace

Purger::Purger(const Queue& queue, const WorkerOptions& options)
    : queue_(trying_once(queue)), options_(options), batch_(smallest_batch) {
  if (options.purge_after == Duration{0}) return;
  for (const auto& [name, weight] : options.queues) {
    for (const auto state : {State::succeeded, State::cancelled}) {
      requests_.push_back({.queue = name, .state = state, .older_than = options.purge_after});
    }
  }
}

std::optional<Duration> Purger::step(Connection& connection) {
  if (requests_.empty() || refused_) return {};
  if (left_ == 0) {
    left_ = requests_.size();
    begin_turn();
  }
  const auto asked = Clock::now();
  auto pause = busy_pause;
  bool more = true;
  try {
    more = delete_batch(connection);
    pause = std::max(least_pause, elapsed(asked) * share);
  } catch (const Error& error) {
    if (!error.retryable()) {
      end_round(error);
      return {};
    }
    report({.kind = WorkerEvent::Kind::retried, .message = error.what()});
  }
  // One queue that is never through does not keep the others from their turn.
  if (!more || Clock::now() >= turn_end_) end_turn();
  if (left_ == 0) return {};
  return pause;
}

// True if there may be more.
bool Purger::delete_batch(Connection& connection) {
  auto& request = requests_[at_];
  request.limit = batch_;
  const auto asked = Clock::now();
  const auto deleted = queue_.purge(connection, request);
  deleted_ += deleted;
  has_deleted_ = has_deleted_ || deleted > 0;
  if (Clock::now() - asked > long_step) {
    batch_ = std::max(smallest_batch, batch_ / 2);
  } else if (deleted == request.limit) {
    batch_ = std::min(largest_batch, batch_ * 2);
  }
  return deleted == request.limit;
}

void Purger::begin_turn() { turn_end_ = Clock::now() + options_.purge_every * longest_turn; }

void Purger::end_turn() {
  report_deleted();
  at_ = (at_ + 1) % requests_.size();
  --left_;
  begin_turn();
}

// What is refused before anything was deleted will be so in a minute too. Later it may be for a
// while, as after a failover to a standby.
void Purger::end_round(const Error& error) {
  left_ = 0;
  report_deleted();
  const bool forbidden = error.code() == Errc::denied || error.code() == Errc::read_only;
  if (!forbidden || has_deleted_) throw error;
  refused_ = true;
  report({.kind = WorkerEvent::Kind::purge_refused, .message = error.what()});
}

void Purger::report(WorkerEvent event) const {
  if (options_.on_event) options_.on_event(event);
}

void Purger::report_deleted() {
  if (deleted_ > 0) report({.kind = WorkerEvent::Kind::purged, .count = deleted_});
  deleted_ = 0;
}

}  // namespace tq
