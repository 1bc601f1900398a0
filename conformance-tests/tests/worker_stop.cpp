// LSE-5: a worker starts nothing that it has no time for, and stops in good order.
#include <atomic>
#include <thread>

#include "watched.hpp"
#include "worker_test.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Stopping : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(, Stopping, ::testing::ValuesIn(servers()), instance_name);

// Opens connections on which something happens before the first claim's answer arrives.
class FirstClaim {
 public:
  FirstClaim(const Place& place, std::function<void()> happens)
      : place_(place), happens_(std::move(happens)) {}
  std::unique_ptr<Connection> open() {
    auto connection = std::make_unique<Watched>(place_.open());
    auto* watched = connection.get();
    watched->before_run = [this](const Statement& statement, std::span<const Argument> /*args*/) {
      claiming_ = claiming_ || statement.name().starts_with("claim_pick");
    };
    watched->after_commit = [this] {
      if (claiming_ && !done_.exchange(true)) happens_();
    };
    return connection;
  }

 private:
  const Place& place_;
  std::function<void()> happens_;
  std::atomic<bool> claiming_ = false;
  std::atomic<bool> done_ = false;
};

TEST_P(Stopping, LSE_5_JobWithTooLittleLeaseLeftIsGivenBackUnstarted) {
  auto once = job();
  once.max_attempts = 1;
  const auto id = add(once);
  // Most of the lease is over then.
  FirstClaim slow{place(), [] { std::this_thread::sleep_for(950ms); }};
  auto options = draining();
  options.lease = 1s;
  options.reap_every = 0s;
  Worker one{queue(), [&] { return slow.open(); }, options};
  std::vector<std::int64_t> generations;
  one.on_any([&](const Job& job, Context& /*context*/) { generations.push_back(job.generation); });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  // Whether the lease was still long enough to give the job back, the database decides.
  EXPECT_TRUE(eventually([&] {
    (void)queue().reap(db());
    const auto stored = row(id);
    return stored.state == State::succeeded || stored.state == State::dead;
  }));
  thread.request_stop();
  thread.join();
  if (state(id) == State::succeeded) {
    EXPECT_EQ(generations, std::vector<std::int64_t>{2});
    EXPECT_EQ(row(id).max_attempts, 2);
  } else {
    EXPECT_TRUE(generations.empty());
  }
  EXPECT_TRUE(queue().failures(db(), id).empty() || state(id) == State::dead);
}

TEST_P(Stopping, LSE_5_NoHandlerStartsBehindASlowOneWithoutALease) {
  add(12);
  auto options = draining();
  options.lease = 1s;
  options.threads = 1;
  std::atomic<int> started = 0;
  auto one = worker(options);
  one.on_any([&](const Job& job, Context& /*context*/) {
    const auto other = place().open();
    const auto left =
        queue().find(*other, job.job_id.text()).at(0).lease_until.value() - queue().now(*other);
    EXPECT_GT(left, Duration{0});
    std::this_thread::sleep_for(++started == 6 ? 1100ms : 5ms);
  });
  one.run({});
  EXPECT_EQ(count("tq_job", "state = 'succeeded' AND max_attempts - attempts = 2"), 12);
}

TEST_P(Stopping, LSE_5_StoppedWorkerGivesBackWhatHasNotStarted) {
  constexpr int all = 120;
  constexpr int blocking = 60;  // By then the worker knows that jobs are short, and claims ahead.
  add(all);
  auto options = staying();
  options.threads = 1;
  std::atomic<int> started = 0;
  std::atomic<bool> release = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& /*context*/) {
    EXPECT_TRUE(++started < blocking || eventually([&] { return release.load(); }));
  });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  ASSERT_TRUE(eventually([&] { return started == blocking; }));
  EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'running'") > 1; }));
  thread.request_stop();
  EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'running'") == 1; }));
  release = true;
  thread.join();
  EXPECT_EQ(started, blocking);
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), blocking);
  EXPECT_EQ(count("tq_job", "state = 'ready' AND max_attempts - attempts = 3"), all - blocking);
  EXPECT_EQ(count("tq_failure"), 0);
}

TEST_P(Stopping, LSE_5_JobsClaimedAfterTheStopAreNotStarted) {
  add(2);
  std::stop_source stop;
  FirstClaim late{place(), [&] { stop.request_stop(); }};
  auto options = staying();
  options.on_event = [](const WorkerEvent& event) {
    // A handler that could start would have the time to.
    if (event.kind == WorkerEvent::Kind::stopping) std::this_thread::sleep_for(100ms);
  };
  std::atomic<int> started = 0;
  Worker one{queue(), [&] { return late.open(); }, options};
  one.on_any([&](const Job& /*job*/, Context& /*context*/) { ++started; });
  one.run(stop.get_token());
  EXPECT_EQ(started, 0);
  EXPECT_EQ(count("tq_job", "state = 'ready' AND last_outcome = 'released'"), 2);
  EXPECT_EQ(count("tq_job", "max_attempts - attempts = 3"), 2);
}

TEST_P(Stopping, LSE_5_WhatWaitsBehindSlowJobsIsLeftToOthers) {
  constexpr int all = 100;
  constexpr int blocking = 60;  // By then the worker knows that jobs are short, and claims ahead.
  constexpr int most_ahead = 16;
  add(all);
  auto options = staying();
  options.threads = 1;
  std::atomic<int> started = 0;
  std::atomic<bool> release = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& /*context*/) {
    // Not so short that the worker has to claim hundreds in order to be busy.
    if (++started < blocking) return std::this_thread::sleep_for(3ms);
    EXPECT_TRUE(eventually([&] { return release.load(); }));
  });
  while_running(one, [&] {
    ASSERT_TRUE(eventually([&] { return started == blocking; }));
    EXPECT_LE(count("tq_job", "attempts > 0"), blocking + most_ahead);
    EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'running'") == 1; }));
    EXPECT_FALSE(eventually([&] { return count("tq_job", "attempts > 1") > 0; }, 300ms))
        << "claimed again, although nothing has ended";
    auto second = options;
    second.name = "second";
    auto other = worker(second);
    other.on_any([](const Job& /*job*/, Context& /*context*/) {});
    while_running(other, [&] {
      EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'succeeded'") == all - 1; }));
    });
    EXPECT_EQ(started, blocking);
    EXPECT_EQ(count("tq_job", "state = 'succeeded' AND max_attempts - attempts = 2"), all - 1);
    release = true;
  });
  EXPECT_EQ(count("tq_failure"), 0);
}

TEST_P(Stopping, LSE_5_HandlerIsToldWhenTheGraceTimeIsOver) {
  const auto id = add();
  auto options = staying();
  options.grace = 100ms;
  std::atomic<bool> running = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& context) {
    running = true;
    EXPECT_TRUE(eventually([&] { return context.stop_token().stop_requested(); }, 10s));
    throw std::runtime_error{"interrupted"};
  });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  ASSERT_TRUE(eventually([&] { return running.load(); }));
  thread.request_stop();
  thread.join();
  EXPECT_EQ(state(id), State::ready);
  EXPECT_EQ(row(id).last_outcome, "released");
  EXPECT_EQ(row(id).max_attempts - row(id).attempts, 3);
}

// Whoever alters the table, say.
class TableLock {
 public:
  TableLock(const Place& place, const Texts& texts) : raw_(place.raw()), texts_(texts) {
    raw_->execute(texts_.begin);
    raw_->execute(texts_.lock_table ? texts_.lock_table(place.table("tq_job"))
                                    : "UPDATE " + place.table("tq_job") + " SET kind = kind");
  }
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
  ~TableLock() {
    raw_->execute(texts_.rollback);
    if (!texts_.unlock.empty()) raw_->execute(texts_.unlock);
  }

 private:
  std::unique_ptr<RawConnection> raw_;
  const Texts& texts_;
};

TEST_P(Stopping, LSE_5_WorkerWhoseClaimWaitsForTheWholeTableStopsAtOnce) {
  add();
  std::atomic<bool> asked = false;
  std::stop_source stop;
  Duration took = {};
  {
    std::optional<TableLock> lock;
    Worker one{queue(),
               [&] {
                 auto connection = std::make_unique<Watched>(place().open());
                 connection->before_begin = [&] { asked = true; };
                 connection->before_run = [&](const Statement& statement, auto /*arguments*/) {
                   asked = asked || statement.name().starts_with("claim_");
                 };
                 return connection;
               },
               staying()};
    one.on_any([](const Job& /*job*/, Context& /*context*/) {});
    lock.emplace(place(), texts());
    std::jthread thread{[&] { one.run(stop.get_token()); }};
    EXPECT_TRUE(eventually([&] { return asked.load(); }));
    std::this_thread::sleep_for(200ms);  // it waits in the database by now
    const auto begun = std::chrono::steady_clock::now();
    stop.request_stop();
    thread.join();
    took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
  }
  EXPECT_LT(took, 3s);
  EXPECT_EQ(queue().stats(db(), "q").at(0).ready, 1);
}

TEST_P(Stopping, LSE_5_WorkerWhoseAcknowledgementWaitsForTheWholeTableStopsBehindItsGraceTime) {
  const auto id = add();
  auto options = staying();
  options.grace = 500ms;
  std::optional<TableLock> lock;
  std::stop_source stop;
  std::atomic<bool> locked = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& /*context*/) {
    lock.emplace(place(), texts());
    locked = true;
  });
  std::optional<Errc> ended_by;
  std::jthread thread{[&] {
    try {
      one.run(stop.get_token());
    } catch (const Error& error) {
      ended_by = error.code();
    }
  }};
  EXPECT_TRUE(eventually([&] { return locked.load(); }));
  std::this_thread::sleep_for(200ms);  // it waits in the database by now
  const auto begun = std::chrono::steady_clock::now();
  stop.request_stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 8s);
  EXPECT_NE(ended_by, std::nullopt);  // what it could not say is no success
  lock.reset();
  EXPECT_EQ(state(id), State::running);  // until the lease has ended
}

}  // namespace
}  // namespace tq::conformance
