// The jobs that a worker has in hand: claimed, running, and finished but not yet acknowledged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "tq/job.hpp"

namespace tq {

using Clock = std::chrono::steady_clock;

/// Why a handler was asked to stop.
enum class StopReason : std::uint8_t { none, lost, cancelled, shutdown };

/// One claimed job. The fields behind `stop` are guarded by the Hand's mutex.
struct HeldJob {
  Job job;
  std::stop_source stop;
  Clock::time_point lease_end;  ///< by this machine's steady clock; never later than the database's
  Clock::time_point give_back;  ///< unstarted by then, others should have it
  StopReason reason = StopReason::none;
  bool started = false;
};
using Held = std::shared_ptr<HeldJob>;

/// Passes jobs from the claimer to the handler threads and acknowledgements back. Any thread.
class Hand {
 public:
  explicit Hand(std::size_t threads) : threads_(threads) {}

  /// Jobs that were just claimed; their lease ends no earlier than `lease_end`.
  void add(std::vector<Job> jobs, Clock::time_point lease_end);

  /// Blocks for the next job to run; null once close() was called.
  [[nodiscard]] Held take();
  [[nodiscard]] StopReason reason(const Held& held) const;
  [[nodiscard]] Clock::time_point lease_end(const Held& held) const;

  /// The handler is through, after `ran`. A job whose lease was lost has nothing to say.
  void finish(const Held& held, std::optional<Acknowledgement> ack, Duration ran);

  /// Acknowledgements to send now.
  [[nodiscard]] std::vector<Acknowledgement> take_acks();
  /// Puts some back whose answer is still open, to be sent after `pause`.
  void put_back(std::vector<Acknowledgement> acks, Duration pause);

  /// How many jobs to claim now: free threads, and ahead of them what starts in a fifth of a
  /// second, but no more than 16 a thread, or what starts in a fiftieth.
  [[nodiscard]] std::size_t wanted() const;
  [[nodiscard]] bool empty() const;

  /// All claimed and unfinished jobs.
  [[nodiscard]] std::vector<Held> unfinished() const;
  void renewed(const Held& held, Clock::time_point lease_end);
  /// Asks the handler to stop; true if this is news.
  bool request_stop(const Held& held, StopReason reason);
  /// Gives all unstarted jobs back.
  void release_unstarted();
  /// Gives back what has waited for a second, behind handlers that are slower than those before
  /// them. No further job is claimed ahead until one of them has ended.
  void release_late();
  /// Gives back jobs that were just claimed.
  void release(const std::vector<Job>& jobs);
  /// Lets take() return null once nothing is left to start.
  void close();

  /// Waits until there is something for the claimer to do, or until `until`: acknowledgements to
  /// send, late jobs, or, when more jobs are known to be there, room for them.
  enum class Appetite : std::uint8_t { sated, hungry };
  void wait(Clock::time_point until, Appetite appetite);
  /// Ends a wait(), now or the next one.
  void nudge();

 private:
  [[nodiscard]] std::size_t ahead() const;
  [[nodiscard]] std::size_t wanted_locked() const;
  void release_locked(const Held& held);

  mutable std::mutex mutex_;
  std::condition_variable to_start_;
  std::condition_variable to_claimer_;
  std::size_t threads_;
  std::deque<Held> waiting_;
  std::map<std::pair<JobId, std::int64_t>, Held> unfinished_;  // by job and generation
  std::deque<Acknowledgement> acks_;
  Clock::time_point acks_not_before_{};
  double seconds_a_job_ = 1.0;  // a moving average
  bool stalled_ = false;        // no handler has ended since jobs were given back as late
  bool closed_ = false;
  bool nudged_ = false;
};

}  // namespace tq
