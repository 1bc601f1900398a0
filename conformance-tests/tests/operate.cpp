// OPS-1 to OPS-5: what operators do to queues and jobs.
#include <thread>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Operate : public PairTest {
 protected:
  [[nodiscard]] JobId dead_job(NewJob job = PairTest::job()) const {
    const auto id = add(job);
    const Failure never{.error = "bad", .then = Failure::Then::dead};
    EXPECT_EQ(queue().fail(db(), claim_one().lease(), never), Finish::done);
    return id;
  }
  [[nodiscard]] Requeued requeue(JobId id, int extra = 1) const {
    return queue().requeue(db(), std::vector{id}, extra).at(0);
  }
  [[nodiscard]] Cancelled cancel(JobId id) const {
    return queue().cancel(db(), std::vector{id}).at(0);
  }
};
INSTANTIATE_TEST_SUITE_P(, Operate, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Operate, OPS_1_PurgeTakesOldJobsOfOneStateOnly) {
  const auto old_success = add();
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  const auto new_success = add();
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  const auto dead = dead_job();
  const auto ready = add();
  move_back(old_success, "finished_at", 24h * 8);
  move_back(dead, "finished_at", 24h * 8);
  EXPECT_EQ(queue().purge(db(), {.older_than = 24h * 7}), 1U);
  EXPECT_TRUE(queue().find(db(), old_success.text()).empty());
  EXPECT_EQ(state(new_success), State::succeeded);
  EXPECT_EQ(state(dead), State::dead);
  EXPECT_EQ(state(ready), State::ready);
  EXPECT_EQ(queue().failures(db(), dead).size(), 1U);
  EXPECT_EQ(queue().purge(db(), {.state = State::dead, .older_than = 24h * 7}), 1U);
  EXPECT_EQ(count("tq_failure"), 0);
  EXPECT_EQ(count("tq_job"), 2);
}

TEST_P(Operate, OPS_1_PurgeIsBoundedAndOldestFirst) {
  const auto jobs = add(5);
  for (const auto& held : claim(5)) {
    ASSERT_EQ(queue().complete(db(), held.lease()), Finish::done);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    move_back(jobs[i], "finished_at", 1h * (1 + static_cast<int>(i)));
  }
  EXPECT_EQ(queue().purge(db(), {.queue = "q", .older_than = 1min, .limit = 2}), 2U);
  EXPECT_TRUE(queue().find(db(), jobs[4].text()).empty());
  EXPECT_TRUE(queue().find(db(), jobs[3].text()).empty());
  EXPECT_EQ(queue().purge(db(), {.queue = "q", .older_than = 1min, .limit = 2}), 2U);
  EXPECT_EQ(queue().purge(db(), {.queue = "q", .older_than = 1min, .limit = 2}), 1U);
  EXPECT_EQ(queue().purge(db(), {.queue = "q", .older_than = 1min, .limit = 2}), 0U);
}

TEST_P(Operate, OPS_1_PurgeKeepsToItsQueue) {
  auto elsewhere = job();
  elsewhere.queue = "other";
  for (const auto& each : {job(), elsewhere}) {
    const auto id = add(each);
    ASSERT_EQ(cancel(id), Cancelled::cancelled);
    move_back(id, "finished_at", 1h);
  }
  const PurgeRequest of_q{.queue = "q", .state = State::cancelled, .older_than = 1min};
  EXPECT_EQ(queue().purge(db(), of_q), 1U);
  EXPECT_EQ(count("tq_job", "queue = 'other'"), 1);
}

TEST_P(Operate, OPS_2_RequeueGivesADeadJobExtraAttempts) {
  auto full = job();
  full.payload = "[1]";
  const auto id = dead_job(full);
  EXPECT_EQ(requeue(id, 2).outcome, Requeued::Outcome::requeued);
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.max_attempts, 3);
  EXPECT_EQ(stored.payload, "[1]");
  EXPECT_FALSE(stored.finished_at.has_value());
  EXPECT_EQ(queue().failures(db(), id).size(), 1U);
  const auto again = claim_one();
  EXPECT_EQ(again.job_id, id);
  EXPECT_EQ(again.generation, 2);
}

TEST_P(Operate, OPS_2_OnlyDeadJobsAreRequeued) {
  const auto ready = add();
  const auto cancelled = add();
  ASSERT_EQ(cancel(cancelled), Cancelled::cancelled);
  EXPECT_EQ(requeue(ready).outcome, Requeued::Outcome::not_dead);
  EXPECT_EQ(requeue(cancelled).outcome, Requeued::Outcome::not_dead);
  EXPECT_EQ(requeue(JobId::generate()).outcome, Requeued::Outcome::gone);
  EXPECT_EQ(row(ready).max_attempts, 3);
  EXPECT_EQ(state(cancelled), State::cancelled);
}

TEST_P(Operate, OPS_2_UNQ_1_RequeueIsRefusedWhileItsKeyIsHeld) {
  auto keyed = job();
  keyed.unique_key = "key";
  const auto first = dead_job(keyed);
  const auto second = dead_job(keyed);
  const auto holder = add(keyed);
  const auto refused = requeue(first);
  EXPECT_EQ(refused.outcome, Requeued::Outcome::held);
  EXPECT_EQ(refused.holder, holder);
  EXPECT_EQ(state(first), State::dead);
  ASSERT_EQ(cancel(holder), Cancelled::cancelled);
  const auto both = queue().requeue(db(), std::vector{first, second}, 1);
  EXPECT_EQ(both.at(0).outcome, Requeued::Outcome::requeued);
  EXPECT_EQ(both.at(1).outcome, Requeued::Outcome::held);
  EXPECT_EQ(both.at(1).holder, first);
  EXPECT_EQ(state(second), State::dead);
}

TEST_P(Operate, OPS_2_GRP_2_RequeuedJobTakesItsOldPlaceInTheGroup) {
  auto grouped = job();
  grouped.group_key = "g";
  const auto first = dead_job(grouped);
  const auto second = add(grouped);
  const auto third = add(grouped);
  EXPECT_EQ(requeue(first).outcome, Requeued::Outcome::requeued);
  for (const auto expected : {first, second, third}) {
    const auto next = claim_one();
    EXPECT_EQ(next.job_id, expected);
    EXPECT_TRUE(claim(5).empty());
    ASSERT_EQ(queue().complete(db(), next.lease()), Finish::done);
  }
}

TEST_P(Operate, OPS_3_ReadyJobIsCancelledAtOnce) {
  const auto id = add();
  EXPECT_EQ(cancel(id), Cancelled::cancelled);
  EXPECT_EQ(state(id), State::cancelled);
  EXPECT_TRUE(row(id).finished_at.has_value());
  EXPECT_TRUE(claim(1).empty());
  EXPECT_EQ(cancel(id), Cancelled::finished);
  EXPECT_EQ(cancel(JobId::generate()), Cancelled::gone);
}

TEST_P(Operate, OPS_3_RunningJobIsToldByItsNextHeartbeat) {
  add();
  const auto held = claim_one();
  EXPECT_FALSE(queue().extend(db(), held.lease(), 60s).cancel_requested);
  EXPECT_EQ(cancel(held.job_id), Cancelled::requested);
  EXPECT_EQ(state(held.job_id), State::running);
  EXPECT_TRUE(row(held.job_id).cancel_requested_at.has_value());
  EXPECT_TRUE(queue().extend(db(), held.lease(), 60s).cancel_requested);
  EXPECT_EQ(queue().acknowledge_cancel(db(), held.lease()), Finish::done);
  EXPECT_EQ(state(held.job_id), State::cancelled);
  EXPECT_EQ(queue().acknowledge_cancel(db(), held.lease()), Finish::already);
}

TEST_P(Operate, OPS_3_JobThatFailsAfterTheRequestIsCancelledNotRetried) {
  add();
  const auto held = claim_one();
  EXPECT_EQ(cancel(held.job_id), Cancelled::requested);
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "stopped"}), Finish::done);
  EXPECT_EQ(state(held.job_id), State::cancelled);
}

TEST_P(Operate, OPS_3_JobThatSucceedsAllTheSameHasSucceeded) {
  add();
  const auto held = claim_one();
  EXPECT_EQ(cancel(held.job_id), Cancelled::requested);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
  EXPECT_EQ(state(held.job_id), State::succeeded);
  EXPECT_FALSE(row(held.job_id).cancel_requested_at.has_value());
}

TEST_P(Operate, OPS_3_CancelThatWaitedForAClaimAnswersWhatItFoundThen) {
  const auto id = add();
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  ASSERT_EQ(queue().claim(*borrowed, {.queue = "q", .worker = "w"}).size(), 1U);
  const auto connection = place().open();
  auto answer = Cancelled::gone;
  std::jthread canceller{[&] { answer = queue().cancel(*connection, std::vector{id}).at(0); }};
  std::this_thread::sleep_for(150ms);
  app().execute(texts().commit);
  canceller.join();
  EXPECT_EQ(answer, Cancelled::requested);
  EXPECT_EQ(state(id), State::running);
  EXPECT_TRUE(row(id).cancel_requested_at.has_value());
}

TEST_P(Operate, OPS_3_GRP_3_CancelledHeadLetsItsGroupGoOn) {
  auto grouped = job();
  grouped.group_key = "g";
  const auto first = add(grouped);
  const auto second = add(grouped);
  EXPECT_EQ(cancel(first), Cancelled::cancelled);
  EXPECT_EQ(ids(claim(5)), std::vector{second});
}

TEST_P(Operate, OPS_4_PauseStopsClaimsAndNothingElse) {
  add();
  const auto held = claim_one();
  queue().pause(db(), "q");
  queue().pause(db(), "q");
  const auto id = add();
  EXPECT_TRUE(claim(5).empty());
  EXPECT_TRUE(queue().stats(db(), "q").at(0).paused);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
  auto elsewhere = job();
  elsewhere.queue = "other";
  add(elsewhere);
  EXPECT_EQ(queue().claim(db(), {.queue = "other", .worker = "w"}).size(), 1U);
  queue().resume(db(), "q");
  queue().resume(db(), "q");
  EXPECT_FALSE(queue().stats(db(), "q").at(0).paused);
  EXPECT_EQ(ids(claim(5)), std::vector{id});
}

TEST_P(Operate, OPS_4_QueueWithoutAnyJobCanBePaused) {
  queue().pause(db(), "empty");
  const auto stats = queue().stats(db());
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].queue, "empty");
  EXPECT_TRUE(stats[0].paused);
  queue().resume(db(), "never paused");
}

TEST_P(Operate, OPS_5_StatisticsCountByState) {
  add(3);  // due
  auto delayed = job();
  delayed.delay = 1h;
  add(2, delayed);
  auto grouped = job();
  grouped.group_key = "g";
  grouped.priority = 10;
  add(3, grouped);
  const auto head = claim_one();  // One runs, two are blocked behind it.
  auto urgent = job();
  urgent.priority = 10;
  add(urgent);
  const auto expired = claim_one();
  end_lease(expired.job_id);
  add(urgent);
  ASSERT_EQ(queue().fail(db(), claim_one().lease(), {.error = "e", .retry_in = 1h}), Finish::done);
  add(urgent);
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  (void)dead_job(urgent);
  ASSERT_EQ(cancel(add(urgent)), Cancelled::cancelled);
  auto other = job();
  other.queue = "a";
  add(other);
  const auto all = queue().stats(db());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].queue, "a");
  EXPECT_EQ(all[0].ready, 1);
  const auto& q = all[1];
  EXPECT_EQ(q.queue, "q");
  EXPECT_EQ(q.ready, 3 + 2 + 2 + 1);
  EXPECT_EQ(q.blocked, 2);
  EXPECT_EQ(q.due, 3 + 2);
  EXPECT_EQ(q.retrying, 1);
  EXPECT_EQ(q.running, 2);
  EXPECT_EQ(q.expired, 1);
  EXPECT_EQ(q.succeeded, 1);
  EXPECT_EQ(q.dead, 1);
  EXPECT_EQ(q.cancelled, 1);
  EXPECT_EQ(q.moved, 0);
  EXPECT_EQ(queue().complete(db(), head.lease()), Finish::done);
}

TEST_P(Operate, OPS_5_OldestDueAgeIsTheWaitOfTheLongestDueJob) {
  EXPECT_TRUE(queue().stats(db(), "q").empty() ||
              queue().stats(db(), "q")[0].oldest_due == Duration{0});
  const auto jobs = add(3);
  move_back(jobs[1], "run_at", 10min);
  const auto age = queue().stats(db(), "q").at(0).oldest_due;
  EXPECT_GE(age, 10min);
  EXPECT_LT(age, 11min);
}

TEST_P(Operate, OPS_5_FinishedJobsAreCountedByTheirTime) {
  EXPECT_EQ(queue().finished(db(), "q", 1h), 0);
  const auto done = add();
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  (void)dead_job(job());
  ASSERT_EQ(cancel(add()), Cancelled::cancelled);
  add();
  auto other = job();
  other.queue = "a";
  ASSERT_EQ(cancel(add(other)), Cancelled::cancelled);
  EXPECT_EQ(queue().finished(db(), "q", 1h), 3);
  EXPECT_EQ(queue().finished(db(), "a", 1h), 1);
  move_back(done, "finished_at", 2h);
  EXPECT_EQ(queue().finished(db(), "q", 1h), 2);
  EXPECT_EQ(queue().finished(db(), "q", 3h), 3);
}

TEST_P(Operate, OPS_5_ListAndFindShowJobs) {
  const auto jobs = add(5);
  auto other = job();
  other.kind = "k2";
  add(other);
  const auto first_page = queue().list(db(), {.queue = "q", .kind = "k", .limit = 3});
  ASSERT_EQ(first_page.size(), 3U);
  EXPECT_EQ(first_page[0].job_id, jobs[0]);
  const auto second_page =
      queue().list(db(), {.queue = "q", .kind = "k", .after = jobs[2], .limit = 3});
  ASSERT_EQ(second_page.size(), 2U);
  EXPECT_EQ(second_page[1].job_id, jobs[4]);
  EXPECT_EQ(queue().list(db(), {.state = State::dead}).size(), 0U);
  EXPECT_EQ(queue().list(db(), {}).size(), 6U);
  EXPECT_EQ(queue().find(db(), jobs[0].text().substr(0, 8)).size(), 2U);  // At most two.
  EXPECT_EQ(queue().find(db(), jobs[0].text()).size(), 1U);
}

}  // namespace
}  // namespace tq::conformance
