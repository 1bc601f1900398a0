// LSE-1 to LSE-4 and LSE-6: who holds a job, and until when.
#include <thread>

#include "clock_shift.hpp"
#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class LeaseRules : public PairTest {
 protected:
  // Runs `ask` while the application holds the job's row, from before the lease's end until after.
  void across_the_end_of_the_lease(const Job& held, const std::function<void(Connection&)>& ask) {
    constexpr auto left = 200ms;
    const auto until = queue().now(db()) + left;
    move_back(held.job_id, "lease_until", row(held.job_id).lease_until.value() - until);
    app().execute(texts().begin);
    lock_row(app(), held.job_id);
    const auto connection = place().open();
    std::jthread asker{[&] { ask(*connection); }};
    std::this_thread::sleep_for(left + 150ms);
    app().execute(texts().rollback);
  }
};
INSTANTIATE_TEST_SUITE_P(, LeaseRules, ::testing::ValuesIn(servers()), instance_name);

TEST_P(LeaseRules, LSE_1_ExtendSetsTheLeaseFromNow) {
  add();
  const auto held = claim_one();
  const auto before = queue().now(db());
  const auto extension = queue().extend(db(), held.lease(), 10min);
  const auto after = queue().now(db());
  EXPECT_EQ(extension.outcome, Finish::done);
  EXPECT_GE(extension.lease_until, before + 10min);
  EXPECT_LE(extension.lease_until, after + 10min);
  EXPECT_EQ(row(held.job_id).lease_until, extension.lease_until);
  EXPECT_EQ(queue().extend(db(), held.lease(), 1s).outcome, Finish::done);
  EXPECT_LE(row(held.job_id).lease_until.value(), queue().now(db()) + 1s);
}

TEST_P(LeaseRules, LSE_1_OnlyTheLiveHolderExtends) {
  add();
  ASSERT_EQ(queue().release(db(), claim_one("mine").lease()), Finish::done);
  const auto held = claim_one("mine");
  const auto before = row(held.job_id).lease_until;
  auto other = held.lease();
  other.worker = "theirs";
  auto stale = held.lease();
  stale.generation = 1;
  auto future = held.lease();
  future.generation = 3;
  const Lease missing{JobId::generate(), 1, "mine"};
  EXPECT_EQ(queue().extend(db(), other, 1h).outcome, Finish::lost);
  EXPECT_EQ(queue().extend(db(), stale, 1h).outcome, Finish::lost);
  EXPECT_EQ(queue().extend(db(), future, 1h).outcome, Finish::lost);
  EXPECT_EQ(queue().extend(db(), missing, 1h).outcome, Finish::gone);
  EXPECT_EQ(row(held.job_id).lease_until, before);
  ASSERT_EQ(queue().complete(db(), held.lease()), Finish::done);
  EXPECT_EQ(queue().extend(db(), held.lease(), 1h).outcome, Finish::lost);
}

TEST_P(LeaseRules, LSE_1_BatchExtendAnswersInOrder) {
  add(3);
  const auto held = claim(3);
  std::vector<Lease> leases;
  for (const auto& job : held) leases.push_back(job.lease());
  leases[1].worker = "someone else";
  leases.push_back({JobId::generate(), 1, "w"});
  const auto answers = queue().extend(db(), leases, 1h);
  std::vector<Finish> outcomes;
  for (const auto& answer : answers) outcomes.push_back(answer.outcome);
  EXPECT_EQ(outcomes, (std::vector{Finish::done, Finish::lost, Finish::done, Finish::gone}));
}

TEST_P(LeaseRules, LSE_2_CompleteThatWaitedPastTheLeaseIsLost) {
  add();
  const auto held = claim_one();
  auto outcome = Finish::done;
  across_the_end_of_the_lease(
      held, [&](Connection& db) { outcome = queue().complete(db, held.lease()); });
  EXPECT_EQ(outcome, Finish::lost);
  EXPECT_EQ(state(held.job_id), State::running);
}

TEST_P(LeaseRules, LSE_2_ExtendThatWaitedPastTheLeaseIsLost) {
  add();
  const auto held = claim_one();
  auto outcome = Finish::done;
  across_the_end_of_the_lease(
      held, [&](Connection& db) { outcome = queue().extend(db, held.lease(), 1h).outcome; });
  EXPECT_EQ(outcome, Finish::lost);
  EXPECT_LT(row(held.job_id).lease_until.value(), queue().now(db()));
}

TEST_P(LeaseRules, LSE_2_FailThatWaitedPastTheLeaseIsLost) {
  add();
  const auto held = claim_one();
  auto outcome = Finish::done;
  across_the_end_of_the_lease(
      held, [&](Connection& db) { outcome = queue().fail(db, held.lease(), {.error = "e"}); });
  EXPECT_EQ(outcome, Finish::lost);
  EXPECT_TRUE(queue().failures(db(), held.job_id).empty());
}

TEST_P(LeaseRules, LSE_3_EndedLeaseIsRefusedBeforeTheReaperCame) {
  add();
  const auto held = claim_one();
  end_lease(held.job_id);
  const auto before = row(held.job_id);
  EXPECT_EQ(queue().extend(db(), held.lease(), 1h).outcome, Finish::lost);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::lost);
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "e"}), Finish::lost);
  EXPECT_EQ(queue().snooze(db(), held.lease(), 1s), Finish::lost);
  EXPECT_EQ(queue().release(db(), held.lease()), Finish::lost);
  EXPECT_EQ(queue().acknowledge_cancel(db(), held.lease()), Finish::lost);
  const std::vector<Acknowledgement> batch{{.lease = held.lease()}};
  EXPECT_EQ(queue().finish(db(), batch), std::vector{Finish::lost});
  const auto after = row(held.job_id);
  EXPECT_EQ(after.state, State::running);
  EXPECT_EQ(after.lease_until, before.lease_until);
  EXPECT_EQ(after.max_attempts, before.max_attempts);
  EXPECT_FALSE(after.last_outcome.has_value());
}

// The whole life of a job by a process whose clock is wrong: nothing may depend on it.
class WrongClock : public LeaseRules {
 protected:
  void life_of_a_job(Duration shift) const {
    const ClockShift wrong{shift};
    const auto now = queue().now(db());
    auto delayed = job();
    delayed.delay = 10min;
    const auto later = add(delayed);
    const auto id = add();
    EXPECT_LT(row(later).run_at, now + 11min);
    EXPECT_GT(row(later).run_at, now + 9min);
    EXPECT_LT(row(id).created_at, now + 1min);
    const auto claimed = claim(10);
    ASSERT_EQ(ids(claimed), std::vector{id});
    EXPECT_LT(claimed[0].lease_until, now + 2min);
    EXPECT_GT(claimed[0].lease_until, now);
    EXPECT_EQ(queue().extend(db(), claimed[0].lease(), 60s).outcome, Finish::done);
    EXPECT_EQ(queue().reap(db()), 0U);
    EXPECT_EQ(queue().fail(db(), claimed[0].lease(), {.error = "e", .retry_in = 10min}),
              Finish::done);
    EXPECT_LT(row(id).run_at, now + 11min);
    move_back(id, "run_at", 20min);
    const auto again = claim_one();
    end_lease(id);
    EXPECT_EQ(queue().complete(db(), again.lease()), Finish::lost);
    EXPECT_EQ(queue().reap(db()), 1U);
  }
};
INSTANTIATE_TEST_SUITE_P(, WrongClock, ::testing::ValuesIn(servers()), instance_name);

TEST_P(WrongClock, LSE_4_ENQ_4_ClientClockDaysAheadChangesNothing) { life_of_a_job(72h); }
TEST_P(WrongClock, LSE_4_ENQ_4_ClientClockDaysBehindChangesNothing) { life_of_a_job(-72h); }
TEST_P(WrongClock, LSE_4_TheShiftReachesTheClocksOfThisProcess) {
  const auto before = std::chrono::system_clock::now();
  const ClockShift wrong{72h};
  EXPECT_GT(std::chrono::system_clock::now(), before + 71h);
  EXPECT_LT(queue().now(db()), before + 1h);
}

constexpr auto waits =
    "one writer at a time: a batch waits at most the busy time-out and then "
    "gets a retryable error";

TEST_P(LeaseRules, LSE_6_BatchesPassOverARowThatAnotherTransactionHolds) {
  add(3);
  const auto held = claim(3);
  std::vector<Lease> leases;
  std::vector<Acknowledgement> acks;
  for (const auto& job : held) {
    leases.push_back(job.lease());
    acks.push_back({.lease = job.lease()});
  }
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  ASSERT_EQ(queue().complete(*borrowed, leases[1]), Finish::done);
  const auto connection = place().open({.lock_wait = 300ms});
  if (facts().concurrent_writers) {
    const auto start = std::chrono::steady_clock::now();
    const auto extensions = impatient().extend(*connection, leases, 1h);
    const auto finishes = impatient().finish(*connection, acks);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 250ms);
    EXPECT_EQ(extensions.at(0).outcome, Finish::done);
    EXPECT_EQ(extensions.at(1).outcome, Finish::busy);
    EXPECT_EQ(extensions.at(2).outcome, Finish::done);
    EXPECT_EQ(finishes, (std::vector{Finish::done, Finish::busy, Finish::done}));
  } else {
    EXPECT_EQ(error_of([&] { (void)impatient().extend(*connection, leases, 1h); }).code(),
              Errc::busy);
    EXPECT_EQ(error_of([&] { (void)impatient().finish(*connection, acks); }).code(), Errc::busy);
    weaker("LSE-6", waits);
  }
  app().execute(texts().commit);
  const auto asked_again = queue().finish(db(), acks);
  EXPECT_EQ(asked_again.at(1), Finish::already);
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), 3);
}

}  // namespace
}  // namespace tq::conformance
