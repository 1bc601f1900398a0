#include "worker_hand.hpp"

#include <algorithm>

namespace tq {
namespace {

// Jobs that wait here nobody else can start, and if this process is killed, each has used up an
// attempt. So a thread has 16 of them at most, but for handlers so quick that it would be through
// with these before the next ones are claimed.
constexpr double ahead_seconds = 0.2;
constexpr double few_a_thread = 16.0;
constexpr double claim_seconds = 0.02;
constexpr double most_ahead = 500.0;
constexpr Duration patience = std::chrono::seconds{1};

auto key(const Held& held) { return std::pair{held->job.job_id, held->job.generation}; }

}  // namespace

void Hand::add(std::vector<Job> jobs, Clock::time_point lease_end) {
  const std::lock_guard lock{mutex_};
  for (auto& job : jobs) {
    auto held = std::make_shared<HeldJob>();
    held->job = std::move(job);
    held->lease_end = lease_end;
    held->give_back = Clock::now() + patience;
    unfinished_[key(held)] = held;
    waiting_.push_back(std::move(held));
  }
  to_start_.notify_all();
}

Held Hand::take() {
  std::unique_lock lock{mutex_};
  to_start_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return nullptr;
  auto held = std::move(waiting_.front());
  waiting_.pop_front();
  held->started = true;
  if (waiting_.size() <= ahead() / 2) to_claimer_.notify_one();
  return held;
}

StopReason Hand::reason(const Held& held) const {
  const std::lock_guard lock{mutex_};
  return held->reason;
}

Clock::time_point Hand::lease_end(const Held& held) const {
  const std::lock_guard lock{mutex_};
  return held->lease_end;
}

void Hand::finish(const Held& held, std::optional<Acknowledgement> ack, Duration ran) {
  const std::lock_guard lock{mutex_};
  unfinished_.erase(key(held));
  if (ack) acks_.push_back(std::move(*ack));
  const double seconds = std::chrono::duration<double>(ran).count();
  seconds_a_job_ = 0.8 * seconds_a_job_ + 0.2 * seconds;
  stalled_ = false;
  to_claimer_.notify_one();
}

std::vector<Acknowledgement> Hand::take_acks() {
  const std::lock_guard lock{mutex_};
  if (Clock::now() < acks_not_before_) return {};
  std::vector<Acknowledgement> taken{std::move_iterator{acks_.begin()},
                                     std::move_iterator{acks_.end()}};
  acks_.clear();
  return taken;
}

void Hand::put_back(std::vector<Acknowledgement> acks, Duration pause) {
  const std::lock_guard lock{mutex_};
  acks_.insert(acks_.begin(), std::move_iterator{acks.begin()}, std::move_iterator{acks.end()});
  acks_not_before_ = Clock::now() + pause;
}

std::size_t Hand::ahead() const {
  if (stalled_) return 0;
  const double average = std::max(seconds_a_job_, 1e-6);
  const double a_thread =
      std::min(ahead_seconds / average, std::max(few_a_thread, claim_seconds / average));
  return static_cast<std::size_t>(std::min(static_cast<double>(threads_) * a_thread, most_ahead));
}

std::size_t Hand::wanted_locked() const {
  if (closed_ || waiting_.size() > ahead() / 2) return 0;
  const auto most = threads_ + ahead();
  return most > unfinished_.size() ? most - unfinished_.size() : 0;
}

std::size_t Hand::wanted() const {
  const std::lock_guard lock{mutex_};
  return wanted_locked();
}

bool Hand::empty() const {
  const std::lock_guard lock{mutex_};
  return unfinished_.empty() && acks_.empty();
}

std::vector<Held> Hand::unfinished() const {
  const std::lock_guard lock{mutex_};
  std::vector<Held> all;
  for (const auto& [id, held] : unfinished_) all.push_back(held);
  return all;
}

void Hand::renewed(const Held& held, Clock::time_point lease_end) {
  const std::lock_guard lock{mutex_};
  held->lease_end = lease_end;
}

bool Hand::request_stop(const Held& held, StopReason reason) {
  {
    const std::lock_guard lock{mutex_};
    const bool known = held->reason == StopReason::lost || held->reason == reason;
    if (known || !unfinished_.contains(key(held))) return false;
    held->reason = reason;
  }
  held->stop.request_stop();
  return true;
}

void Hand::release_unstarted() {
  const std::lock_guard lock{mutex_};
  for (const auto& held : waiting_) release_locked(held);
  waiting_.clear();
}

void Hand::release_late() {
  const std::lock_guard lock{mutex_};
  while (!waiting_.empty() && Clock::now() >= waiting_.front()->give_back) {
    release_locked(waiting_.front());
    waiting_.pop_front();
    stalled_ = true;
    // The average knows only of handlers that have ended.
    seconds_a_job_ = std::max(seconds_a_job_, std::chrono::duration<double>(patience).count());
  }
}

void Hand::release_locked(const Held& held) {
  unfinished_.erase(key(held));
  if (held->reason != StopReason::lost) {
    acks_.push_back({.lease = held->job.lease(), .verb = Verb::released});
  }
}

void Hand::release(const std::vector<Job>& jobs) {
  const std::lock_guard lock{mutex_};
  for (const auto& job : jobs) {
    acks_.push_back({.lease = job.lease(), .verb = Verb::released});
  }
}

void Hand::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  to_start_.notify_all();
}

void Hand::wait(Clock::time_point until, Appetite appetite) {
  std::unique_lock lock{mutex_};
  const auto due = [this] { return !acks_.empty() && Clock::now() >= acks_not_before_; };
  if (!acks_.empty()) until = std::min(until, std::max(acks_not_before_, Clock::now()));
  if (!waiting_.empty()) until = std::min(until, waiting_.front()->give_back);
  const auto room = [&] { return appetite == Appetite::hungry && wanted_locked() > 0; };
  to_claimer_.wait_until(lock, until, [&] { return nudged_ || due() || room(); });
  nudged_ = false;
}

void Hand::nudge() {
  const std::lock_guard lock{mutex_};
  nudged_ = true;
  to_claimer_.notify_one();
}

}  // namespace tq
