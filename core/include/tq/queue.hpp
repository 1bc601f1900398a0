// The queue: every operation of the contract, on a connection that the caller gives.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/error.hpp"
#include "tq/job.hpp"
#include "tq/retry.hpp"

namespace tq {

struct QueueOptions {
  std::size_t max_payload_bytes = 1U << 20U;
  Backoff backoff = {};      ///< for failed and expired jobs whose caller names no delay
  RetryLimits retries = {};  ///< for the library's own transactions
};

/// What to claim: at most `limit` jobs (1..1,000) of one queue for `lease` (1 ms..100 days).
struct ClaimRequest {
  std::string queue;
  std::string worker;  ///< names the owner; 1..128 characters
  std::size_t limit = 1;
  Duration lease = std::chrono::seconds{60};
};

/// How fail() goes on.
struct Failure {
  std::string error = {};
  std::optional<Duration> retry_in = {};  ///< nullopt: by the queue's backoff
  enum class Then : std::uint8_t { retry, dead } then = Then::retry;
};

enum class Cancelled : std::uint8_t {
  cancelled,  ///< it was ready and is cancelled
  requested,  ///< it runs and will be told by its next heartbeat
  finished,   ///< it was final before; untouched
  gone,       ///< no such job
};
[[nodiscard]] std::string_view name(Cancelled outcome) noexcept;

struct Requeued {
  enum class Outcome : std::uint8_t {
    requeued,
    not_dead,  ///< only dead jobs can be requeued; untouched
    held,      ///< its unique key is held by `holder`; untouched
    gone,
  } outcome = Outcome::gone;
  JobId holder = {};
};
[[nodiscard]] std::string_view name(Requeued::Outcome outcome) noexcept;

struct PurgeRequest {
  std::optional<std::string> queue = {};
  State state = State::succeeded;  ///< a final one
  Duration older_than = std::chrono::hours{24 * 7};
  std::size_t limit = 1000;  ///< 1..1,000 rows a transaction
};

struct ListRequest {
  std::optional<std::string> queue = {};
  std::optional<std::string> kind = {};
  std::optional<State> state = {};
  std::optional<JobId> after = {};  ///< the last one of the page before
  std::size_t limit = 100;          ///< 1..1,000
};

/// One queue at a glance. Final jobs are counted up to final_count_cap each.
struct QueueStats {
  static constexpr std::int64_t final_count_cap = 10'000;
  std::string queue = {};
  bool paused = false;
  std::int64_t ready = 0;     ///< all of them; due, delayed, blocked
  std::int64_t due = 0;       ///< ready and run_at has come
  std::int64_t blocked = 0;   ///< ready, behind another job of their group
  std::int64_t retrying = 0;  ///< ready with at least one attempt made
  Duration oldest_due = {};   ///< how long the oldest due job has been due; 0: none
  std::int64_t running = 0;
  std::int64_t expired = 0;  ///< running with an ended lease: the reaper's next ones
  std::int64_t succeeded = 0;
  std::int64_t dead = 0;
  std::int64_t cancelled = 0;
  std::int64_t moved = 0;
};

/// What finish_and_claim() did.
struct FinishedAndClaimed {
  std::vector<Finish> finished;  ///< in the order of the acknowledgements
  std::vector<Job> claimed;
};

/// How run_in_transaction() ended.
enum class InTransaction : std::uint8_t {
  none,       ///< no job was eligible
  completed,  ///< the handler's changes and the completion are committed
  failed,     ///< the handler threw; its changes are undone and the failure is recorded
};

/// A job's queue in one dialect. Holds no connection and no state beyond its options: one object
/// may be used by any number of threads, each with a connection of its own.
///
/// On a connection that the library opened, each call is a transaction of its own and is repeated
/// after a deadlock, serialization failure or busy lock within QueueOptions::retries. On a
/// borrowed connection a call runs in the application's transaction: nothing is begun, committed,
/// rolled back or repeated, and an operation of several steps needs an open transaction
/// (Errc::invalid_argument where the driver can tell). All throw tq::Error, and
/// Errc::invalid_argument for bad input before the database is asked.
class Queue {
 public:
  explicit Queue(Dialect dialect, QueueOptions options = {});

  [[nodiscard]] const Dialect& dialect() const noexcept { return dialect_; }
  [[nodiscard]] const QueueOptions& options() const noexcept { return options_; }

  // Producers.

  Enqueued enqueue(Connection& connection, const NewJob& job) const;
  /// All or nothing; the answers are in input order. A job whose unique key is held, also by an
  /// earlier one of the same call, is answered inserted = false with the holder's id.
  std::vector<Enqueued> enqueue(Connection& connection, std::span<const NewJob> jobs) const;

  /// Throws for bad input what enqueue() would throw before it asks the database.
  void check(std::span<const NewJob> jobs) const;

  // Workers.

  /// At most request.limit eligible jobs in order: priority descending, run_at, job_id.
  [[nodiscard]] std::vector<Job> claim(Connection& connection, const ClaimRequest& request) const;

  /// Sets the lease's end to now + `lease`. The single form waits for the row's lock; the batch
  /// form answers Finish::busy instead.
  [[nodiscard]] Extension extend(Connection& connection, const Lease& held, Duration lease) const;
  [[nodiscard]] std::vector<Extension> extend(Connection& connection, std::span<const Lease> held,
                                              Duration lease) const;

  [[nodiscard]] Finish complete(Connection& connection, const Lease& held) const;
  [[nodiscard]] Finish fail(Connection& connection, const Lease& held,
                            const Failure& failure) const;
  /// Gives the job back until `delay` has passed; no attempt is used up.
  [[nodiscard]] Finish snooze(Connection& connection, const Lease& held, Duration delay) const;
  /// Gives an unstarted job back, due at once; no attempt is used up.
  [[nodiscard]] Finish release(Connection& connection, const Lease& held) const;
  /// Confirms that the job stopped because it was asked to.
  [[nodiscard]] Finish acknowledge_cancel(Connection& connection, const Lease& held) const;
  /// Any mix in one transaction, answered in input order; waits for no row (Finish::busy).
  [[nodiscard]] std::vector<Finish> finish(Connection& connection,
                                           std::span<const Acknowledgement> batch) const;

  /// finish(), then claim(), in one transaction: one commit where there would be two. Both are
  /// undone if it fails, and may be repeated.
  [[nodiscard]] FinishedAndClaimed finish_and_claim(Connection& connection,
                                                    std::span<const Acknowledgement> batch,
                                                    const ClaimRequest& request) const;

  /// In-transaction mode, on a connection of ours: claims one job in an open transaction, sets a
  /// savepoint, runs the handler, finishes the job and commits. A worker that dies meanwhile
  /// leaves the job ready and its attempts unspent.
  InTransaction run_in_transaction(
      Connection& connection, const ClaimRequest& request,
      const std::function<void(const Job&, Connection&)>& handler) const;

  /// Takes up to `limit` (1..1,000) running jobs whose lease has ended, of any queue: back to
  /// ready after a backoff, dead, or cancelled if that was asked for. Returns how many.
  std::size_t reap(Connection& connection, std::size_t limit = 100) const;

  // Operators.

  [[nodiscard]] std::vector<Cancelled> cancel(Connection& connection,
                                              std::span<const JobId> jobs) const;
  /// extra_attempts: 1..1,000,000 on top of the attempts already made.
  [[nodiscard]] std::vector<Requeued> requeue(Connection& connection, std::span<const JobId> jobs,
                                              int extra_attempts) const;
  void pause(Connection& connection, const std::string& queue) const;
  void resume(Connection& connection, const std::string& queue) const;
  /// Deletes one batch of final jobs with their failures; returns how many.
  std::size_t purge(Connection& connection, const PurgeRequest& request) const;
  [[nodiscard]] std::vector<QueueStats> stats(
      Connection& connection, const std::optional<std::string>& queue = std::nullopt) const;
  /// How many jobs of `queue` became succeeded, dead or cancelled in the last `span` (up to a day).
  [[nodiscard]] std::int64_t finished(Connection& connection, const std::string& queue,
                                      Duration span) const;
  /// In the order of job_id.
  [[nodiscard]] std::vector<JobRow> list(Connection& connection, const ListRequest& request) const;
  /// The jobs whose id begins with `prefix` (1..36 characters of an id), at most two.
  [[nodiscard]] std::vector<JobRow> find(Connection& connection, std::string_view prefix) const;
  [[nodiscard]] std::vector<JobFailure> failures(Connection& connection, JobId job) const;
  /// The database's clock.
  [[nodiscard]] Timestamp now(Connection& connection) const;

  /// Marks that a worker waits for `queue` for the next `span`, so that enqueue announces.
  void announce_listening(Connection& connection, const std::string& queue, Duration span) const;

 private:
  Dialect dialect_;
  QueueOptions options_;
};

}  // namespace tq
