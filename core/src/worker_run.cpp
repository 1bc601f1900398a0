#include "worker_run.hpp"

#include <algorithm>

#include "tq/schema.hpp"

namespace tq {
namespace {

constexpr Duration first_pause = std::chrono::milliseconds{10};
constexpr Duration announce_for = std::chrono::seconds{60};
constexpr std::size_t largest_claim = 500;

Queue reporting_retries(const Queue& queue, const WorkerOptions& options) {
  auto queue_options = queue.options();
  if (options.on_event) {
    queue_options.retries.on_retry = [report = options.on_event,
                                      before = queue_options.retries.on_retry](const Error& error) {
      if (before) before(error);
      report({.kind = WorkerEvent::Kind::retried, .message = error.what()});
    };
  }
  return Queue{queue.dialect(), std::move(queue_options)};
}

}  // namespace

Duration reconnect_pause(int failures) {
  return Backoff{.base = std::chrono::milliseconds{100},
                 .cap = std::chrono::seconds{5},
                 .factor = 2.0,
                 .jitter = 0.5}
      .delay(failures);
}

bool Interruptible::wait(Duration time, const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  condition_.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

Asking::Scope::Scope(Asking& asking, Connection& connection) : asking_(asking) {
  const std::lock_guard lock{asking_.mutex_};
  asking_.connection_ = &connection;
  asking_.since_ = Clock::now();
}

Asking::Scope::~Scope() {
  const std::lock_guard lock{asking_.mutex_};
  asking_.connection_ = nullptr;
}

void Asking::cancel(Duration asked_for) noexcept {
  const std::lock_guard lock{mutex_};
  if (connection_ != nullptr && Clock::now() - since_ >= asked_for) connection_->cancel();
}

WorkerRun::WorkerRun(const Worker& worker)
    : queue_(reporting_retries(worker.queue_, worker.options_)),
      connector_(worker.connector_),
      options_(worker.options_),
      worker_(worker),
      hand_(static_cast<std::size_t>(worker.options_.threads)),
      turns_(worker.options_.queues.size()),
      idle_pause_(std::min(first_pause, worker.options_.max_poll)) {}

void WorkerRun::run(const std::stop_token& stop) {
  stop_ = stop;
  connection_ = connector_();
  check_schema(*connection_, queue_.dialect());
  std::vector<std::jthread> handlers;
  handlers.reserve(static_cast<std::size_t>(options_.threads));
  for (int i = 0; i < options_.threads; ++i) handlers.emplace_back([this] { handle_jobs(); });
  {
    std::jthread keeper{[this](const std::stop_token& end) {
      keep(end);
      keeper_ended_ = true;
    }};
    std::jthread committer;
    if (acknowledges_beside()) {
      committer = std::jthread{[this](const std::stop_token& end) {
        commit(end);
        committer_ended_ = true;
      }};
    }
    const auto end_both = [&] {
      end_thread(committer, committer_ended_, acknowledging_);
      end_thread(keeper, keeper_ended_, keeping_);
    };
    const std::jthread watcher{[this](const std::stop_token& end) { watch(end); }};
    std::jthread listener;
    if (options_.wake_up && queue_.dialect().facts.announces) {
      listener = std::jthread{[this](const std::stop_token& end) { listen(end); }};
    }
    const std::stop_callback on_stop{stop, [this] {
                                       stop_asked_ = Clock::now().time_since_epoch().count();
                                       hand_.nudge();
                                       end_claim();
                                     }};
    try {
      loop(stop);
    } catch (...) {
      begin_stopping();
      for (const auto& held : hand_.unfinished()) hand_.request_stop(held, StopReason::shutdown);
      hand_.close();
      end_both();
      throw;
    }
    hand_.close();
    end_both();
  }
}

void WorkerRun::loop(const std::stop_token& stop) {
  int failures = 0;
  while (!ended_) {
    if (stop.stop_requested() && !stopping_) begin_stopping();
    end_grace();
    rethrow_commit_failure();
    try {
      if (connection_ && !connection_->usable()) {
        report_trouble(Error{Errc::connection_lost, "the connection to the database is gone"});
        connection_.reset();
      }
      if (!connection_) connection_ = connector_();
      step();
      failures = 0;
    } catch (const Error& error) {
      if (must_end(error)) throw;
      if (error.code() == Errc::cancelled && stop.stop_requested()) continue;  // by ourselves
      report_trouble(error);
      if (connection_ && !connection_->usable()) connection_.reset();
      pause_.wait(reconnect_pause(++failures), stopping_ ? std::stop_token{} : stop);
    }
  }
}

// Nothing that waiting could mend. What was allowed before, as before a failover to a standby, may
// be allowed again.
bool WorkerRun::hopeless(const Error& error) const {
  switch (error.code()) {
    case Errc::schema_missing:
    case Errc::schema_newer:
    case Errc::invalid_argument:
    case Errc::unsupported:
      return true;
    case Errc::denied:
    case Errc::read_only:
      return !has_written_;
    default:
      return false;
  }
}

// What runs when the grace time is over may finish; what cannot be said by then, the leases say.
bool WorkerRun::must_end(const Error& error) const {
  return hopeless(error) || (grace_over_ && hand_.unfinished().empty());
}

Clock::time_point WorkerRun::grace_end() const {
  const Clock::time_point asked{Clock::duration{stop_asked_.load()}};
  return asked == Clock::time_point::max() ? asked : asked + options_.grace;
}

// A claim that waits for somebody's lock of the whole table would keep the worker from stopping.
void WorkerRun::end_claim() noexcept { claiming_.cancel(); }

void WorkerRun::end_grace() {
  if (Clock::now() < grace_end() || grace_over_.exchange(true)) return;
  for (const auto& held : hand_.unfinished()) hand_.request_stop(held, StopReason::shutdown);
}

void WorkerRun::step() {
  hand_.release_late();
  const bool claims = !stopping_ && hand_.wanted() > 0 && look_is_due();
  if (!acknowledges_beside() && !claims) send_acks(*connection_, hand_.take_acks());
  if (stopping_) {
    ended_ = hand_.empty();
  } else {
    claim_some();
    if (options_.drain && !more_ && hand_.empty() && drained()) ended_ = true;
  }
  if (!ended_) wait_for_work();
}

void WorkerRun::begin_stopping() {
  stopping_ = true;
  if (!stop_.stop_requested()) stop_asked_ = Clock::now().time_since_epoch().count();
  report({.kind = WorkerEvent::Kind::stopping});
  hand_.release_unstarted();
}

bool WorkerRun::look_is_due() const { return more_ || woken_ || Clock::now() >= next_poll_; }

void WorkerRun::claim_some() {
  const auto wanted = std::min(hand_.wanted(), largest_claim);
  if (wanted == 0 || !look_is_due()) return;
  woken_ = false;
  std::size_t jobs = 0;
  // Every queue once, by turns, so that an empty one does not hide the others.
  std::vector<bool> asked(options_.queues.size());
  for (std::size_t n = 0; n < asked.size() && jobs < wanted; ++n) {
    if (stop_.stop_requested()) return;
    const auto queue = next_queue(asked);
    asked[queue] = true;
    const auto limit = wanted - jobs;
    const auto count = claim_from(options_.queues[queue].queue, limit);
    took_turn(queue, count, limit);
    jobs += count;
  }
  found(jobs, wanted);
}

std::size_t WorkerRun::claim_from(const std::string& queue, std::size_t limit) {
  const auto asked = Clock::now();
  const Asking::Scope asking{claiming_, *connection_};
  if (stop_.stop_requested()) return 0;
  auto jobs = ask_for_jobs(
      {.queue = queue, .worker = options_.name, .limit = limit, .lease = options_.lease});
  const auto count = jobs.size();
  // A question changes nothing, whether or not that would be allowed; a pick that marks does.
  const auto& claim = queue_.dialect().claim;
  const auto& settle = claim.settle.steps;
  const bool settles = !settle.empty() && settle.front().columns().empty();
  const bool marks = !claim.probe && !claim.mark;
  has_written_ = has_written_ || count > 0 || settles || marks;
  if (stop_.stop_requested()) {  // It may have waited long for a lock.
    hand_.release(jobs);
  } else if (count > 0) {
    hand_.add(std::move(jobs), asked + options_.lease);
  }
  return count;
}

std::vector<Job> WorkerRun::ask_for_jobs(const ClaimRequest& request) {
  if (acknowledges_beside()) return queue_.claim(*connection_, request);
  auto acks = hand_.take_all_acks();
  if (acks.empty()) return queue_.claim(*connection_, request);
  FinishedAndClaimed both;
  try {
    both = queue_.finish_and_claim(*connection_, acks, request);
  } catch (const Error&) {
    hand_.put_back(std::move(acks), after_failure);
    throw;
  }
  answer(std::move(acks), both.finished);
  return std::move(both.claimed);
}

std::size_t WorkerRun::next_queue(const std::vector<bool>& asked) const {
  std::size_t best = asked.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!asked[i] && (best == asked.size() || turns_[i] > turns_[best])) best = i;
  }
  return best;
}

// Smooth weighted round robin by jobs, since looks find more or fewer of them: of every sum of the
// weights jobs, each queue gets its weight. One that had no more saves nothing up.
void WorkerRun::took_turn(std::size_t queue, std::size_t jobs, std::size_t limit) {
  if (jobs < limit) turns_[queue] = std::min<std::int64_t>(turns_[queue], 0);
  const auto count = static_cast<std::int64_t>(jobs);
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    turns_[i] += count * options_.queues[i].weight;
    turns_[queue] -= count * options_.queues[i].weight;
  }
}

void WorkerRun::found(std::size_t jobs, std::size_t wanted) {
  more_ = jobs == wanted;
  if (jobs > 0) {
    idle_pause_ = std::min(first_pause, options_.max_poll);
  } else {
    announce_idle();
    idle_pause_ = std::min(idle_pause_ * 2, options_.max_poll);
  }
  next_poll_ = Clock::now() + idle_pause_;
}

// Producers announce only while someone listens, so the first idle look says that we do, and looks
// once more for what was enqueued meanwhile.
void WorkerRun::announce_idle() {
  if (!listening_ || Clock::now() < next_announcement_) return;
  for (const auto& [queue, weight] : options_.queues) {
    queue_.announce_listening(*connection_, queue, announce_for);
  }
  has_written_ = true;
  next_announcement_ = Clock::now() + announce_for / 3;
  woken_ = true;
  hand_.nudge();
}

bool WorkerRun::drained() {
  for (const auto& [queue, weight] : options_.queues) {
    for (const auto& stats : queue_.stats(*connection_, queue)) {
      if (stats.ready > 0 || stats.running > 0) return false;
    }
  }
  return true;
}

// A look that is due but has no room waits for room, not for a time that has passed already.
void WorkerRun::wait_for_work() {
  const auto second = Clock::now() + std::chrono::seconds{1};
  const bool acks = !acknowledges_beside();
  const bool last = (stopping_ || options_.drain) && !hand_.empty();
  auto until = second;
  if (stopping_) {
    if (!grace_over_) until = std::min(grace_end(), second);
  } else if (!look_is_due()) {
    until = next_poll_;
  }
  const bool room = !stopping_ && look_is_due();
  hand_.wait(Hand::Waiter::claimer, until, {.acks = acks, .room = room, .empty = last});
}

std::unique_ptr<Connection> WorkerRun::connect(const std::stop_token& stop) const {
  for (int failures = 1;; ++failures) {
    try {
      return connector_();
    } catch (const Error& error) {
      report_trouble(error);
      if (!pause_.wait(reconnect_pause(failures), stop)) return nullptr;
    }
  }
}

void WorkerRun::report(WorkerEvent event) const {
  if (options_.on_event) options_.on_event(event);
}

void WorkerRun::report_trouble(const Error& error) const {
  const auto kind = error.code() == Errc::connection_lost ? WorkerEvent::Kind::disconnected
                                                          : WorkerEvent::Kind::refused;
  report({.kind = kind, .message = error.what()});
}

}  // namespace tq
