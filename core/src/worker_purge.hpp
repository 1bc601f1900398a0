// The purger of a worker: what is old of its own queues goes, a batch at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tq/worker.hpp"
#include "worker_hand.hpp"

namespace tq {

/// Works in rounds, in which each queue and state has its turn, and in steps of one bounded
/// transaction each, so that heartbeats go between two of them. Used by one thread.
class Purger {
 public:
  /// `options` must outlive it.
  Purger(const Queue& queue, const WorkerOptions& options);
  Purger(const Purger&) = delete;
  Purger& operator=(const Purger&) = delete;
  ~Purger() { report_deleted(); }

  /// Deletes a batch at most. How long to wait until the next step of this round; none: it is over.
  /// What is thrown ends the round.
  [[nodiscard]] std::optional<Duration> step(Connection& connection);

 private:
  [[nodiscard]] bool delete_batch(Connection& connection);
  void begin_turn();
  void end_turn();
  void end_round(const Error& error);
  void report(WorkerEvent event) const;
  void report_deleted();

  const Queue queue_;  // tries once: the next step comes anyway
  const WorkerOptions& options_;
  std::vector<PurgeRequest> requests_;  // one for each queue and state
  std::size_t at_ = 0;                  // whose turn it is
  std::size_t left_ = 0;                // turns of this round; 0: between rounds
  Clock::time_point turn_end_{};
  std::size_t batch_;
  std::size_t deleted_ = 0;   // and not reported yet
  bool has_deleted_ = false;  // so it was allowed to
  bool refused_ = false;      // for good
};

}  // namespace tq
