// The jobs that a worker has in hand: claimed, running, and finished but not yet acknowledged.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_set>
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

/// Passes jobs from the claimer to the handler threads and acknowledgements on to whoever sends
/// them. Any thread.
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

  /// Acknowledgements to send now, at most as many as one statement takes. They stay in hand until
  /// answered() or put_back().
  [[nodiscard]] std::vector<Acknowledgement> take_acks();
  /// The same, also of those that could still wait for company.
  [[nodiscard]] std::vector<Acknowledgement> take_all_acks();
  void answered(std::size_t acks);
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

  /// Who waits, and for what. Acknowledgements are ready when there are enough of them for a
  /// statement, when nothing is left that could join them, or when the oldest has waited for 5 ms;
  /// at once if the handlers are too slow for company within that time.
  enum class Waiter : std::uint8_t { claimer, committer };
  struct Reasons {
    bool acks = false;   ///< some are ready
    bool room = false;   ///< wanted() is not 0
    bool empty = false;  ///< empty()
  };
  /// Waits for one of `reasons`, for late jobs (the claimer), or until `until`.
  void wait(Waiter who, Clock::time_point until, Reasons reasons);
  /// Ends a wait() of each, now or the next one.
  void nudge();

 private:
  struct Waiting {
    std::condition_variable condition;
    Reasons reasons = {};
    bool nudged = false;
  };

  [[nodiscard]] std::size_t ahead() const;
  [[nodiscard]] std::size_t wanted_locked() const;
  [[nodiscard]] bool empty_locked() const;
  [[nodiscard]] Clock::time_point acks_ready_at() const;
  [[nodiscard]] bool reached(const Reasons& reasons) const;
  [[nodiscard]] std::vector<Acknowledgement> take_acks_locked();
  void add_ack(Acknowledgement ack);
  void release_locked(const Held& held);
  /// Wakes those whose reason has come.
  void tell();

  mutable std::mutex mutex_;
  std::condition_variable to_start_;
  std::array<Waiting, 2> waiters_;
  std::size_t threads_;
  std::deque<Held> waiting_;
  std::unordered_set<Held> unfinished_;
  std::deque<Acknowledgement> acks_;
  std::size_t sending_ = 0;  // acknowledgements that were taken and have no answer yet
  Clock::time_point acks_since_{};
  bool acks_begin_ = false;  // there were none before: who waits for them has to look at the time
  Clock::time_point acks_not_before_{};
  double seconds_a_job_ = 1.0;  // a moving average
  bool stalled_ = false;        // no handler has ended since jobs were given back as late
  bool closed_ = false;
};

}  // namespace tq
