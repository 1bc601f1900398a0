// One run of a worker: the claimer's loop and the threads beside it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tq/worker.hpp"
#include "worker_hand.hpp"

namespace tq {

/// How long to wait before another connection is tried, after so many that failed.
Duration reconnect_pause(int failures);

/// After a failure an acknowledgement waits so long before it is sent again.
inline constexpr Duration after_failure = std::chrono::milliseconds{50};

/// Ends a wait early, from any thread.
class Interruptible {
 public:
  /// False if it was ended early.
  bool wait(Duration time, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
};

/// What one thread asks of the database, so that another can end it.
class Asking {
 public:
  class Scope {
   public:
    Scope(Asking& asking, Connection& connection);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Asking& asking_;
  };
  /// Ends what has been asked for at least this long. What only begins now may be missed.
  void cancel(Duration asked_for = {}) noexcept;

 private:
  std::mutex mutex_;
  Connection* connection_ = nullptr;
  Clock::time_point since_{};
};

class WorkerRun {
 public:
  explicit WorkerRun(const Worker& worker);
  void run(const std::stop_token& stop);

 private:
  // The claimer: claims, decides when all is done. On its own connection.
  void loop(const std::stop_token& stop);
  void step();
  [[nodiscard]] bool hopeless(const Error& error) const;
  /// Whether there is nothing left that going on could save.
  [[nodiscard]] bool must_end(const Error& error) const;
  [[nodiscard]] bool look_is_due() const;
  void claim_some();
  std::size_t claim_from(const std::string& queue, std::size_t limit);
  [[nodiscard]] std::vector<Job> ask_for_jobs(const ClaimRequest& request);
  void found(std::size_t jobs, std::size_t wanted);
  /// The queue whose turn it is, of those that were not asked yet.
  [[nodiscard]] std::size_t next_queue(const std::vector<bool>& asked) const;
  /// A queue was asked for `limit` jobs and gave `jobs`.
  void took_turn(std::size_t queue, std::size_t jobs, std::size_t limit);
  [[nodiscard]] bool drained();
  void begin_stopping();
  void end_grace();
  [[nodiscard]] Clock::time_point grace_end() const;
  void end_claim() noexcept;
  void announce_idle();
  void wait_for_work();

  // The committer: acknowledges. On its own connection; where writers take turns anyway the claimer
  // does it, in the transactions of its claims where it can.
  void commit(const std::stop_token& end);
  void commit_some(std::unique_ptr<Connection>& connection);
  void rethrow_commit_failure();
  void send_acks(Connection& connection, std::vector<Acknowledgement> acks);
  void answer(std::vector<Acknowledgement> acks, const std::vector<Finish>& answers);
  void report_answer(const Acknowledgement& ack, Finish finish) const;
  [[nodiscard]] bool acknowledges_beside() const;

  // A handler thread.
  void handle_jobs();
  void handle(const Held& held);
  [[nodiscard]] std::optional<Acknowledgement> run_handler(const Held& held);
  [[nodiscard]] const Handler* handler(const std::string& kind) const;
  [[nodiscard]] Acknowledgement failure(const Job& job, std::string error) const;
  [[nodiscard]] std::optional<Acknowledgement> stopped(const Held& held, StopReason reason,
                                                       std::string error) const;

  // The keeper: heartbeats and reaping. On its own connection.
  void keep(const std::stop_token& stop);
  void heartbeat(Connection& connection);
  void judge(const Held& held, const Extension& extension, Clock::time_point asked);
  void reap(Connection& connection);

  // The watch: notices that a lease has ended, or that it is time to stop, also while no connection
  // answers.
  void watch(const std::stop_token& stop);
  void lose_ended();
  void end_late_statements() noexcept;

  // The listener. On its own connection.
  void listen(const std::stop_token& stop);
  void listen_once(const std::stop_token& stop);

  // Ends the keeper or the committer, whatever it waits for.
  static void end_thread(std::jthread& thread, const std::atomic<bool>& ended, Asking& asking);

  // Opens a connection, again and again with growing pauses; null when told to stop.
  std::unique_ptr<Connection> connect(const std::stop_token& stop) const;
  void report(WorkerEvent event) const;
  void report_trouble(const Error& error) const;
  [[nodiscard]] Duration margin() const { return options_.lease / 5; }

  const Queue queue_;
  const Connector& connector_;
  const WorkerOptions& options_;
  const Worker& worker_;
  Hand hand_;
  std::unique_ptr<Connection> connection_;
  std::vector<std::int64_t> turns_;  // jobs that each queue is behind its share, by the weights
  Duration idle_pause_;
  Clock::time_point next_poll_{};
  Clock::time_point next_announcement_{};
  Asking claiming_;
  Asking acknowledging_;
  Asking keeping_;
  std::atomic<bool> keeper_ended_{false};
  std::atomic<bool> committer_ended_{false};
  std::mutex commit_mutex_;
  std::exception_ptr commit_failure_;  // what ended the committer; guarded by commit_mutex_
  std::atomic<Clock::rep> stop_asked_{Clock::time_point::max().time_since_epoch().count()};
  bool more_ = true;
  std::stop_token stop_;
  std::atomic<bool> has_written_{false};  // so it was allowed to
  bool stopping_ = false;
  bool ended_ = false;
  std::atomic<bool> woken_{false};
  std::atomic<bool> listening_{false};
  std::atomic<bool> grace_over_{false};
  mutable Interruptible pause_;
};

}  // namespace tq
