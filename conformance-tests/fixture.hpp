// What every test of the suite stands on: a pair's server, an isolated place with the tables
// installed and empty, a connection of the library's own and one of the application's.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend.hpp"
#include "places.hpp"
#include "servers.hpp"
#include "tq/queue.hpp"

namespace tq::conformance {

class PairTest : public ::testing::TestWithParam<Server> {
 protected:
  void SetUp() override;

  // What is tested.

  [[nodiscard]] static const Server& server() { return GetParam(); }
  [[nodiscard]] static const Texts& texts() { return GetParam().texts; }
  [[nodiscard]] const Capabilities& facts() const { return queue().dialect().facts; }
  [[nodiscard]] const Place& place() const { return *place_; }
  [[nodiscard]] const Queue& queue() const { return *queue_; }
  /// The same queue, which tries each transaction once.
  [[nodiscard]] Queue impatient() const;
  /// A connection of the library's own.
  [[nodiscard]] Connection& db() const { return *db_; }
  /// The application's connection.
  [[nodiscard]] RawConnection& app() const { return *app_; }

  // Short ways to jobs.

  /// A job of the queue "q" and the kind "k".
  [[nodiscard]] static NewJob job() { return {.queue = "q", .kind = "k"}; }
  JobId add(const NewJob& job = PairTest::job()) const;
  /// Adds `n` equal jobs, ids ascending.
  std::vector<JobId> add(std::size_t n, const NewJob& job = PairTest::job()) const;
  [[nodiscard]] std::vector<Job> claim(std::size_t n, const std::string& worker = "w") const;
  /// Claims the next job of "q"; throws if there is none.
  [[nodiscard]] Job claim_one(const std::string& worker = "w") const;
  /// Throws if there is none.
  [[nodiscard]] JobRow row(JobId id) const;
  [[nodiscard]] State state(JobId id) const { return row(id).state; }

  // Behind the library's back.

  /// Moves a time of a job back: what was to come in `by` is due, what was just now is old.
  void move_back(JobId id, std::string_view column, Duration by) const;
  void end_lease(JobId id) const { move_back(id, "lease_until", std::chrono::hours{1}); }
  /// UPDATE tq_job SET `assignments` for that job.
  void update(JobId id, const std::string& assignments) const;
  /// Takes the job's row lock in the application's open transaction.
  void lock_row(RawConnection& by, JobId id) const;
  /// Rows that were committed; in a transaction of app() those that it sees.
  [[nodiscard]] std::int64_t count(std::string_view table,
                                   const std::string& where = "1 = 1") const;
  /// Inserts into / counts the application's own table.
  void insert_row(RawConnection& by, const std::string& note) const;
  [[nodiscard]] std::int64_t app_rows() const { return count("tqc_row"); }

  /// Says in the report that what this test checked for `clause` is a declared weaker promise.
  static void weaker(const std::string& clause, const std::string& promise);

 private:
  const Place* place_ = nullptr;
  std::optional<Queue> queue_;
  std::unique_ptr<Connection> db_;
  std::unique_ptr<RawConnection> app_;
};

/// A test's parameter in its name.
[[nodiscard]] std::string instance_name(const ::testing::TestParamInfo<Server>& info);

/// Where Texts::short_lock_wait is empty.
constexpr const char* waits_without_end =
    "the engine has no time-out for a row's lock: what is not asked for at once is waited for";

/// Where Texts::read_only_session is empty.
constexpr const char* cannot_be_read_only = "nothing makes a session of this engine read-only";

/// Runs `body(0)` to `body(n - 1)` at once and waits for all. An exception fails the test.
void at_once(std::size_t n, const std::function<void(std::size_t)>& body);

/// The error that `body` throws; none: the test fails and an Error that is like no other is given.
[[nodiscard]] Error error_of(const std::function<void()>& body);

/// Waits until `done()`; false if that took longer than `limit`.
[[nodiscard]] bool eventually(const std::function<bool()>& done,
                              Duration limit = std::chrono::seconds{20});

/// The ids of jobs, in order.
[[nodiscard]] std::vector<JobId> ids(const std::vector<Job>& jobs);

}  // namespace tq::conformance
