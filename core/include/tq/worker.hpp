// The worker: claims jobs, runs handlers on threads, keeps leases, acknowledges.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/error.hpp"
#include "tq/job.hpp"
#include "tq/queue.hpp"

namespace tq {

/// A queue and how often it is looked at relative to the others.
struct QueueWeight {
  std::string queue;
  int weight = 1;  ///< 1..100
};

/// What a worker tells its embedder; for logs and metrics.
struct WorkerEvent {
  enum class Kind : std::uint8_t {
    started,           ///< a handler starts
    finished,          ///< an acknowledgement was answered (verb, finish)
    lease_lost,        ///< a handler's lease is lost; it was asked to stop
    cancel_requested,  ///< a handler was asked to stop by cancel
    retried,           ///< a transaction of ours was refused and is repeated (message)
    refused,           ///< the database refused a step; it is tried again after a pause (message)
    disconnected,      ///< a connection was lost; a new one is being made (message)
    reaped,            ///< expired jobs were taken back (count)
    purged,            ///< old jobs were deleted (count)
    purge_refused,     ///< it may not delete them, and this run tries no more (message)
    stopping,          ///< no further claims
  } kind;
  const Job* job = nullptr;
  Verb verb = Verb::completed;
  Finish finish = Finish::done;
  std::size_t count = 0;
  std::string message = {};
};

struct WorkerOptions {
  std::vector<QueueWeight> queues;
  std::string name = {};  ///< owner of its claims; empty: host, process and a random part
  int threads = 4;        ///< handlers at once, 1..1,000
  Duration lease = std::chrono::seconds{60};       ///< 1 s or more
  Duration max_poll = std::chrono::seconds{1};     ///< the longest pause between looks when idle
  Duration grace = std::chrono::seconds{30};       ///< for handlers that run when it is stopped
  Duration reap_every = std::chrono::seconds{10};  ///< 0: this worker does not reap
  /// Succeeded and cancelled jobs of its queues that finished longer ago are deleted; 0: none are.
  Duration purge_after = std::chrono::hours{24 * 7};
  Duration purge_every = std::chrono::seconds{60};  ///< between looks for them, 1 ms or more
  bool wake_up = true;  ///< listen where the engine can announce; polling goes on
  bool drain = false;   ///< return once no ready and no running job of its queues is left
  std::function<void(const WorkerEvent&)> on_event = {};  ///< any thread; must not throw
};

/// What a handler may do besides returning (completed) and throwing (failed).
class Context {
 public:
  explicit Context(std::stop_token stop) : stop_(std::move(stop)) {}

  /// Requested when the lease is lost, the job was cancelled, or the grace time is over.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_; }
  /// Once the handler returns: give the job back until `delay` has passed, no attempt used up.
  void snooze(Duration delay) { verb_ = Verb::snoozed, delay_ = delay; }
  /// Once the handler returns: fail for good, without another attempt.
  void reject(std::string error) { verb_ = Verb::failed, error_ = std::move(error); }
  /// Once the handler returns: fail, next attempt after `delay` (nullopt: by the backoff).
  void retry(std::string error, std::optional<Duration> delay = {}) {
    verb_ = Verb::failed, error_ = std::move(error), delay_ = delay, again_ = true;
  }

 private:
  friend class WorkerRun;
  std::stop_token stop_;
  Verb verb_ = Verb::completed;
  std::optional<Duration> delay_ = {};
  std::string error_ = {};
  bool again_ = false;
};

using Handler = std::function<void(const Job&, Context&)>;
using Connector = std::function<std::unique_ptr<Connection>()>;

/// Runs handlers for the jobs of some queues of one database. Lost connections, server restarts,
/// deadlocks and busy locks do not end it.
class Worker {
 public:
  /// `connector` opens a connection of the worker's own; it is called again after a loss, from
  /// any thread. Throws Errc::invalid_argument.
  Worker(Queue queue, Connector connector, WorkerOptions options);

  /// The handler for jobs of this kind. Before run(). A job of a kind without one is failed.
  void on(std::string kind, Handler handler);
  /// The handler for every kind that has none of its own.
  void on_any(Handler handler);

  /// Works until `stop` is requested (or the queues are drained) and the jobs in hand are done or
  /// given back. Throws if the schema is missing or newer, or if its first write is denied: a
  /// privilege is missing, or the database can only be read. Denied later, it tries again.
  void run(std::stop_token stop);

  [[nodiscard]] const std::string& name() const noexcept { return options_.name; }

 private:
  friend class WorkerRun;
  Queue queue_;
  Connector connector_;
  WorkerOptions options_;
  std::vector<std::pair<std::string, Handler>> handlers_;
  Handler any_;
};

}  // namespace tq
