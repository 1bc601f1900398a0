// Jobs as producers write them, as workers hold them and as operators see them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tq/id.hpp"
#include "tq/time.hpp"

namespace tq {

enum class State : std::uint8_t { ready, running, succeeded, dead, cancelled, moved };
[[nodiscard]] std::string_view name(State state) noexcept;
[[nodiscard]] std::optional<State> parse_state(std::string_view name) noexcept;
/// Succeeded, dead, cancelled, moved.
[[nodiscard]] bool final(State state) noexcept;

inline constexpr int lowest_priority = -10;
inline constexpr int highest_priority = 10;
inline constexpr std::size_t max_name_characters = 128;
inline constexpr std::size_t max_error_characters = 4000;
inline constexpr int max_payload_depth = 31;

/// A job to enqueue. Names are 1..128 characters of UTF-8 without NUL that neither begin nor end
/// with a blank.
struct NewJob {
  std::string queue = {};
  std::string kind = {};       ///< chooses the handler
  std::string payload = "{}";  ///< JSON text; kept and given back byte for byte
  int priority = 0;            ///< -10..10, higher first
  Duration delay = {};         ///< not before now + delay, by the database's clock; 0 or more
  std::optional<Timestamp> run_at = {};        ///< not before this time; not together with delay
  int max_attempts = 3;                        ///< 1..1,000,000
  std::optional<std::string> unique_key = {};  ///< one active job for each (queue, unique_key)
  std::optional<std::string> group_key = {};   ///< jobs of one group run one at a time, in order
  std::optional<JobId> job_id = {};  ///< made here unless given; enqueued again: inserted = false
};

/// The answer to one enqueued job.
struct Enqueued {
  JobId job_id;          ///< of the new job, or of the active job that holds the unique key
  bool inserted = true;  ///< false: nothing was stored
};

/// The right to finish one claim of one job, for as long as its lease lasts.
struct Lease {
  JobId job_id = {};
  std::int64_t generation = 0;  ///< the value of attempts that the claim made
  std::string worker = {};
  bool grouped = true;  ///< false, as Job::lease() says it: this job has no group_key
};

/// A claimed job.
struct Job {
  JobId job_id = {};
  std::int64_t generation = 0;
  std::string queue = {};
  std::string kind = {};
  std::string payload = {};
  int priority = 0;
  Timestamp run_at = {};
  Timestamp created_at = {};
  std::int64_t max_attempts = 0;
  Timestamp lease_until = {};  ///< by the database's clock
  std::string worker = {};
  std::optional<std::string> unique_key = {};
  std::optional<std::string> group_key = {};

  [[nodiscard]] Lease lease() const { return {job_id, generation, worker, group_key.has_value()}; }
  [[nodiscard]] std::int64_t attempts_left() const noexcept { return max_attempts - generation; }
};

/// What became of an acknowledgement.
enum class Finish : std::uint8_t {
  done,     ///< accepted now
  already,  ///< the same caller's same acknowledgement was accepted before
  lost,     ///< the lease has ended, or another claim holds the job; the row is untouched
  gone,     ///< there is no such job any more
  busy,     ///< another transaction holds the row: ask again (batches only)
};
[[nodiscard]] std::string_view name(Finish finish) noexcept;

/// What became of a request for a longer lease: done, lost, gone or busy.
struct Extension {
  Finish outcome = Finish::lost;
  Timestamp lease_until = {};     ///< when done
  bool cancel_requested = false;  ///< someone asked for this job to stop
};

/// What a worker says of a job that it holds.
enum class Verb : std::uint8_t {
  completed,
  failed,
  snoozed,
  released,   ///< given back unstarted: attempts stays, max_attempts rises by one, due at once
  cancelled,  ///< stopped because it was asked to
};
[[nodiscard]] std::string_view name(Verb verb) noexcept;

/// One acknowledgement of a batch.
struct Acknowledgement {
  Lease lease;
  Verb verb = Verb::completed;
  /// failed: until the next attempt, nullopt: no further one, the job becomes dead at once.
  /// snoozed: until it is due again.
  std::optional<Duration> delay = {};
  std::string error = {};  ///< failed: why; cut at 4,000 characters
};

/// A row of the job table, as operators see it.
struct JobRow {
  JobId job_id = {};
  std::string queue = {};
  std::string kind = {};
  std::string payload = {};
  State state = State::ready;
  int priority = 0;
  Timestamp run_at = {};
  Timestamp created_at = {};
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  std::optional<std::string> worker_id = {};
  std::optional<Timestamp> lease_until = {};
  std::optional<Timestamp> finished_at = {};
  std::optional<std::string> last_worker = {};
  std::optional<std::string> last_outcome = {};
  std::optional<std::string> last_error = {};
  std::optional<Timestamp> cancel_requested_at = {};
  std::optional<std::string> unique_key = {};
  std::optional<std::string> group_key = {};
  std::optional<std::string> origin = {};
};

/// One failure of one claim of a job.
struct JobFailure {
  std::int64_t generation = 0;
  std::string worker = {};
  Timestamp failed_at = {};
  std::string error = {};
};

}  // namespace tq
