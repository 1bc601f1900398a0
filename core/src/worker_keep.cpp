// The keeper, the watch and the listener of a worker.
#include <algorithm>
#include <utility>

#include "worker_purge.hpp"
#include "worker_run.hpp"

namespace tq {
namespace {

constexpr Duration end_patience = std::chrono::milliseconds{500};
constexpr Duration late_patience = std::chrono::seconds{1};
constexpr Duration end_look = std::chrono::milliseconds{5};

// Workers that were started together should not reap or purge together.
Duration jittered(Duration every) {
  return Backoff{.base = every, .cap = every, .factor = 1.0, .jitter = 0.3}.delay(1);
}

}  // namespace

void WorkerRun::keep(const std::stop_token& stop) {
  std::unique_ptr<Connection> connection;
  const bool reaps = options_.reap_every > Duration{0};
  auto next_reap = Clock::now() + jittered(options_.reap_every);
  Purger purger{queue_, options_};
  auto next_purge = Clock::now() + jittered(options_.purge_every);
  const auto look = std::min<Duration>(options_.lease / 3, std::chrono::seconds{1});
  auto pause = look;
  while (pause_.wait(std::exchange(pause, look), stop)) {
    try {
      if (!connection || !connection->usable()) connection = connect(stop);
      if (!connection) return;
      const Asking::Scope asking{keeping_, *connection};
      heartbeat(*connection);
      if (reaps && Clock::now() >= next_reap) {
        reap(*connection);
        next_reap = Clock::now() + jittered(options_.reap_every);
      }
      if (!stop_.stop_requested() && Clock::now() >= next_purge) {
        next_purge = Clock::now() + jittered(options_.purge_every);
        if (const auto again = purger.step(*connection)) {
          pause = std::min(look, *again);
          next_purge = Clock::now() + *again;
        }
      }
    } catch (const Error& error) {
      if (!stop.stop_requested()) report_trouble(error);
    }
  }
}

// It may be waiting for a lock that somebody has for long. A statement that begins just now can be
// missed, so it is asked again.
void WorkerRun::end_thread(std::jthread& thread, const std::atomic<bool>& ended, Asking& asking) {
  if (!thread.joinable()) return;
  thread.request_stop();
  for (auto waited = Duration{0}; !ended; waited += end_look) {
    if (waited >= end_patience) asking.cancel();
    std::this_thread::sleep_for(end_look);
  }
}

// Extends what has a third of its lease behind it. After the grace time nothing is extended.
void WorkerRun::heartbeat(Connection& connection) {
  if (grace_over_) return;
  std::vector<Held> due;
  std::vector<Lease> leases;
  const auto now = Clock::now();
  for (auto& held : hand_.unfinished()) {
    const bool lost = hand_.reason(held) == StopReason::lost;
    if (lost || hand_.lease_end(held) - now > options_.lease * 2 / 3) continue;
    leases.push_back(held->job.lease());
    due.push_back(std::move(held));
  }
  if (leases.empty()) return;
  const auto asked = Clock::now();
  const auto answers = queue_.extend(connection, leases, options_.lease);
  for (std::size_t i = 0; i < answers.size(); ++i) judge(due[i], answers[i], asked);
}

void WorkerRun::judge(const Held& held, const Extension& extension, Clock::time_point asked) {
  if (extension.outcome == Finish::done) {
    hand_.renewed(held, asked + options_.lease);
    if (extension.cancel_requested && hand_.request_stop(held, StopReason::cancelled)) {
      report({.kind = WorkerEvent::Kind::cancel_requested, .job = &held->job});
    }
  } else if (extension.outcome != Finish::busy && hand_.request_stop(held, StopReason::lost)) {
    report({.kind = WorkerEvent::Kind::lease_lost, .job = &held->job});
  }
}

// A thread of its own: the keeper may be waiting for a server that does not answer, and leases end
// all the same.
void WorkerRun::watch(const std::stop_token& stop) {
  while (pause_.wait(std::min<Duration>(margin() / 2, std::chrono::milliseconds{500}), stop)) {
    lose_ended();
    end_late_statements();
  }
}

// An acknowledgement that waits is worth waiting for, until the grace time is over; one that does
// not wait is never cut short.
void WorkerRun::end_late_statements() noexcept {
  if (!stop_.stop_requested()) return;
  end_claim();
  if (Clock::now() >= grace_end()) acknowledging_.cancel(late_patience);
}

void WorkerRun::lose_ended() {
  for (const auto& held : hand_.unfinished()) {
    const bool ended = hand_.lease_end(held) <= Clock::now();
    if (ended && hand_.request_stop(held, StopReason::lost)) {
      report({.kind = WorkerEvent::Kind::lease_lost, .job = &held->job});
    }
  }
}

void WorkerRun::reap(Connection& connection) {
  constexpr std::size_t batch = 100;
  std::size_t reaped = 0;
  std::size_t last = batch;
  while (last == batch) {
    last = queue_.reap(connection, batch);
    reaped += last;
  }
  if (reaped == 0) return;
  report({.kind = WorkerEvent::Kind::reaped, .count = reaped});
  woken_ = true;
  hand_.nudge();
}

void WorkerRun::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      listen_once(stop);
      return;
    } catch (const Error& error) {
      listening_ = false;
      report_trouble(error);
    }
  }
}

// Announcements that came while nobody listened are made up for by one look.
void WorkerRun::listen_once(const std::stop_token& stop) {
  const auto connection = connect(stop);
  auto* wake_up = connection ? connection->wake_up() : nullptr;
  if (wake_up == nullptr) return;
  const auto& text = queue_.dialect().listen;
  if (!text.empty()) connection->execute(text);
  const std::stop_callback interrupt{stop, [wake_up] { wake_up->interrupt(); }};
  listening_ = true;
  woken_ = true;
  hand_.nudge();
  while (!stop.stop_requested()) {
    const auto announced = wake_up->wait(std::chrono::seconds{10});
    const bool ours = std::ranges::any_of(announced, [this](const std::string& queue) {
      return queue.empty() || std::ranges::count(options_.queues, queue, &QueueWeight::queue) > 0;
    });
    if (!ours) continue;
    woken_ = true;
    hand_.nudge();
  }
}

}  // namespace tq
