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
// An acknowledgement waits so long for others, and a statement takes so many.
constexpr Duration company = std::chrono::milliseconds{5};
constexpr std::size_t most_acks = 1000;
constexpr Duration patience = std::chrono::seconds{1};

}  // namespace

void Hand::add(std::vector<Job> jobs, Clock::time_point lease_end) {
  const std::lock_guard lock{mutex_};
  for (auto& job : jobs) {
    auto held = std::make_shared<HeldJob>();
    held->job = std::move(job);
    held->lease_end = lease_end;
    held->give_back = Clock::now() + patience;
    unfinished_.insert(held);
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
  tell();
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
  unfinished_.erase(held);
  if (ack) add_ack(std::move(*ack));
  const double seconds = std::chrono::duration<double>(ran).count();
  seconds_a_job_ = 0.8 * seconds_a_job_ + 0.2 * seconds;
  stalled_ = false;
  tell();
}

std::vector<Acknowledgement> Hand::take_acks() {
  const std::lock_guard lock{mutex_};
  if (Clock::now() < acks_ready_at()) return {};
  return take_acks_locked();
}

std::vector<Acknowledgement> Hand::take_all_acks() {
  const std::lock_guard lock{mutex_};
  if (Clock::now() < acks_not_before_) return {};
  return take_acks_locked();
}

std::vector<Acknowledgement> Hand::take_acks_locked() {
  const auto count = static_cast<std::ptrdiff_t>(std::min(acks_.size(), most_acks));
  const auto end = acks_.begin() + count;
  std::vector<Acknowledgement> taken{std::move_iterator{acks_.begin()}, std::move_iterator{end}};
  acks_.erase(acks_.begin(), end);
  sending_ += taken.size();
  return taken;
}

void Hand::add_ack(Acknowledgement ack) {
  if (acks_.empty()) {
    acks_since_ = Clock::now();
    acks_begin_ = true;
  }
  acks_.push_back(std::move(ack));
}

void Hand::answered(std::size_t acks) {
  const std::lock_guard lock{mutex_};
  sending_ -= acks;
  tell();
}

void Hand::put_back(std::vector<Acknowledgement> acks, Duration pause) {
  const std::lock_guard lock{mutex_};
  sending_ -= acks.size();
  acks_.insert(acks_.begin(), std::move_iterator{acks.begin()}, std::move_iterator{acks.end()});
  acks_since_ = Clock::now();
  acks_not_before_ = acks_since_ + pause;
  acks_begin_ = true;
  tell();
}

Clock::time_point Hand::acks_ready_at() const {
  if (acks_.empty()) return Clock::time_point::max();
  const bool alone =
      static_cast<double>(threads_) * std::chrono::duration<double>(company).count() <
      2 * seconds_a_job_;
  const bool enough = acks_.size() > ahead() / 2 || unfinished_.empty() || closed_ || alone;
  return std::max(acks_not_before_, enough ? acks_since_ : acks_since_ + company);
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
  // Who claims faster than can be acknowledged would only let leases grow old.
  if (acks_.size() + sending_ > 2 * most_acks) return 0;
  const auto most = threads_ + ahead();
  return most > unfinished_.size() ? most - unfinished_.size() : 0;
}

std::size_t Hand::wanted() const {
  const std::lock_guard lock{mutex_};
  return wanted_locked();
}

bool Hand::empty() const {
  const std::lock_guard lock{mutex_};
  return empty_locked();
}

bool Hand::empty_locked() const { return unfinished_.empty() && acks_.empty() && sending_ == 0; }

std::vector<Held> Hand::unfinished() const {
  const std::lock_guard lock{mutex_};
  return {unfinished_.begin(), unfinished_.end()};
}

void Hand::renewed(const Held& held, Clock::time_point lease_end) {
  const std::lock_guard lock{mutex_};
  held->lease_end = lease_end;
}

bool Hand::request_stop(const Held& held, StopReason reason) {
  {
    const std::lock_guard lock{mutex_};
    const bool known = held->reason == StopReason::lost || held->reason == reason;
    if (known || !unfinished_.contains(held)) return false;
    held->reason = reason;
  }
  held->stop.request_stop();
  return true;
}

void Hand::release_unstarted() {
  const std::lock_guard lock{mutex_};
  for (const auto& held : waiting_) release_locked(held);
  waiting_.clear();
  tell();
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
  tell();
}

void Hand::release_locked(const Held& held) {
  unfinished_.erase(held);
  if (held->reason != StopReason::lost) {
    add_ack({.lease = held->job.lease(), .verb = Verb::released});
  }
}

void Hand::release(const std::vector<Job>& jobs) {
  const std::lock_guard lock{mutex_};
  for (const auto& job : jobs) add_ack({.lease = job.lease(), .verb = Verb::released});
  tell();
}

void Hand::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  to_start_.notify_all();
  for (auto& waiter : waiters_) waiter.condition.notify_all();
}

bool Hand::reached(const Reasons& reasons) const {
  return (reasons.acks && Clock::now() >= acks_ready_at()) ||
         (reasons.room && wanted_locked() > 0) || (reasons.empty && empty_locked());
}

void Hand::tell() {
  for (auto& waiter : waiters_) {
    const bool begins = waiter.reasons.acks && acks_begin_;
    if (begins || reached(waiter.reasons)) waiter.condition.notify_one();
  }
  acks_begin_ = false;
}

void Hand::wait(Waiter who, Clock::time_point until, Reasons reasons) {
  std::unique_lock lock{mutex_};
  auto& waiter = waiters_.at(static_cast<std::size_t>(who));
  waiter.reasons = reasons;
  const bool late = who == Waiter::claimer;
  while (!waiter.nudged && !reached(reasons) && !(closed_ && !late)) {
    auto next = until;
    if (reasons.acks) next = std::min(next, acks_ready_at());
    if (late && !waiting_.empty()) next = std::min(next, waiting_.front()->give_back);
    if (Clock::now() >= next) break;
    waiter.condition.wait_until(lock, next);
  }
  waiter.reasons = {};
  waiter.nudged = false;
}

void Hand::nudge() {
  const std::lock_guard lock{mutex_};
  for (auto& waiter : waiters_) {
    waiter.nudged = true;
    waiter.condition.notify_one();
  }
}

}  // namespace tq
