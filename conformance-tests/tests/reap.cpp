// REP-1 to REP-3: what becomes of jobs whose worker was not heard of again.
#include <atomic>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Reap : public PairTest {
 protected:
  void end_all_leases() const {
    app().execute("UPDATE " + place().table("tq_job") + " SET lease_until = " +
                  texts().earlier("lease_until", 1h) + " WHERE state = 'running'");
  }
};
INSTANTIATE_TEST_SUITE_P(, Reap, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Reap, REP_1_EndedLeaseGoesBackToReadyAfterABackoff) {
  const auto id = add();
  (void)claim_one("lost worker");
  end_lease(id);
  EXPECT_EQ(queue().reap(db()), 1U);
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.max_attempts, 3);
  EXPECT_GT(stored.run_at, queue().now(db()));
  EXPECT_FALSE(stored.worker_id.has_value());
  EXPECT_FALSE(stored.lease_until.has_value());
  const auto failures = queue().failures(db(), id);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].worker, "lost worker");
  EXPECT_FALSE(failures[0].error.empty());
  EXPECT_EQ(stored.last_error, failures[0].error);
  EXPECT_EQ(queue().reap(db()), 0U);
}

TEST_P(Reap, REP_1_LastAttemptMakesItDead) {
  auto once = job();
  once.max_attempts = 1;
  const auto id = add(once);
  (void)claim_one();
  end_lease(id);
  EXPECT_EQ(queue().reap(db()), 1U);
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::dead);
  EXPECT_TRUE(stored.finished_at.has_value());
  EXPECT_EQ(stored.attempts, 1);
}

TEST_P(Reap, REP_1_LiveLeaseIsNotTouched) {
  const auto id = add();
  const auto held = claim_one();
  add();
  EXPECT_EQ(queue().reap(db()), 0U);
  EXPECT_EQ(row(id).lease_until, held.lease_until);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
}

TEST_P(Reap, REP_1_BatchIsBoundedAndOldestFirst) {
  const auto jobs = add(5);
  (void)claim(5);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    move_back(jobs[i], "lease_until", 1h + 1min * static_cast<int>(i));
  }
  EXPECT_EQ(queue().reap(db(), 2), 2U);
  EXPECT_EQ(state(jobs[4]), State::ready);
  EXPECT_EQ(state(jobs[3]), State::ready);
  EXPECT_EQ(state(jobs[0]), State::running);
  EXPECT_EQ(queue().reap(db(), 100), 3U);
}

TEST_P(Reap, REP_1_RowThatAnotherTransactionHoldsIsPassedOver) {
  const auto jobs = add(2);
  (void)claim(2);
  end_all_leases();
  const auto other = place().raw();
  other->execute(texts().begin);
  lock_row(*other, jobs[0]);
  const auto connection = place().open({.lock_wait = 300ms});
  if (facts().concurrent_writers) {
    EXPECT_EQ(impatient().reap(*connection), 1U);
    EXPECT_EQ(state(jobs[1]), State::ready);
  } else {
    EXPECT_EQ(error_of([&] { (void)impatient().reap(*connection); }).code(), Errc::busy);
    weaker("REP-1",
           "one writer at a time: the reaper waits at most the busy time-out and then "
           "gets a retryable error");
  }
  other->execute(texts().rollback);
  (void)queue().reap(db());
  EXPECT_EQ(count("tq_job", "state = 'running'"), 0);
}

TEST_P(Reap, REP_1_OPS_3_JobThatWasAskedToStopIsCancelled) {
  const auto id = add();
  (void)claim_one();
  EXPECT_EQ(queue().cancel(db(), std::vector{id}), std::vector{Cancelled::requested});
  end_lease(id);
  EXPECT_EQ(queue().reap(db()), 1U);
  EXPECT_EQ(state(id), State::cancelled);
}

TEST_P(Reap, REP_2_EachExpiryIsHandledOnceHoweverManyReap) {
  constexpr std::size_t jobs = 200;
  add(jobs);
  (void)claim(jobs);
  end_all_leases();
  std::atomic<std::size_t> reaped = 0;
  at_once(8, [&](std::size_t /*reaper*/) {
    const auto connection = place().open();
    // Rows that the others hold are passed over: none is left only once none runs.
    EXPECT_TRUE(eventually([&] {
      reaped += queue().reap(*connection, 10);
      return queue().stats(*connection, "q").at(0).running == 0;
    }));
  });
  EXPECT_EQ(reaped, jobs);
  EXPECT_EQ(count("tq_failure"), static_cast<std::int64_t>(jobs));
  EXPECT_EQ(count("tq_job", "state = 'ready' AND attempts = 1 AND max_attempts = 3"),
            static_cast<std::int64_t>(jobs));
}

TEST_P(Reap, REP_3_BackoffGrowsIsCappedAndHasJitter) {
  const Queue steep{place().dialect(),
                    {.backoff = {.base = 10s, .cap = 160s, .factor = 4.0, .jitter = 0.5}}};
  constexpr std::size_t jobs = 40;
  add(jobs);
  const std::vector<Duration> full{10s, 40s};  // The third failure makes them dead.
  for (const auto& expected : full) {
    const auto held = steep.claim(db(), {.queue = "q", .worker = "w", .limit = jobs});
    ASSERT_EQ(held.size(), jobs);
    end_all_leases();
    const auto before = steep.now(db());
    ASSERT_EQ(steep.reap(db()), jobs);
    const auto after = steep.now(db());
    std::map<Duration, int> distinct;
    for (const auto& stored : steep.list(db(), {.queue = "q"})) {
      EXPECT_GE(stored.run_at, before + expected / 2);
      EXPECT_LE(stored.run_at, after + expected);
      ++distinct[stored.run_at - before];
      move_back(stored.job_id, "run_at", 1h);
    }
    EXPECT_GT(distinct.size(), jobs / 2) << "without jitter they all come back at once";
  }
}

TEST_P(Reap, REP_3_TheSamePolicyServesFailuresAndIsCapped) {
  const Queue capped{place().dialect(),
                     {.backoff = {.base = 1min, .cap = 2min, .factor = 10.0, .jitter = 0.0}}};
  auto tried = job();
  tried.max_attempts = 10;
  const auto id = add(tried);
  for (const Duration expected : {Duration{1min}, Duration{2min}, Duration{2min}}) {
    const auto held = capped.claim(db(), {.queue = "q", .worker = "w"}).at(0);
    const auto before = capped.now(db());
    ASSERT_EQ(capped.fail(db(), held.lease(), {.error = "e"}), Finish::done);
    const auto after = capped.now(db());
    EXPECT_GE(row(id).run_at, before + expected);
    EXPECT_LE(row(id).run_at, after + expected);
    move_back(id, "run_at", 1h);
  }
}

}  // namespace
}  // namespace tq::conformance
