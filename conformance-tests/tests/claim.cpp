// CLM-1 to CLM-7: what a claim gives, and what it never does.
#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Claim : public PairTest {};
INSTANTIATE_TEST_SUITE_P(, Claim, ::testing::ValuesIn(servers()), instance_name);

constexpr auto one_writer =
    "one writer at a time: a claimer waits at most the busy time-out and "
    "then gets a retryable error";

TEST_P(Claim, CLM_1_EachJobIsClaimedOnceHoweverManyClaim) {
  constexpr std::size_t workers = 8;
  constexpr std::size_t jobs = 400;
  add(jobs);
  std::mutex mutex;
  std::multiset<JobId> claimed;
  at_once(workers, [&](std::size_t w) {
    const auto connection = place().open();
    for (;;) {
      const auto batch =
          queue().claim(*connection, {.queue = "q", .worker = "w" + std::to_string(w), .limit = 7});
      if (batch.empty()) return;
      const std::lock_guard lock{mutex};
      for (const auto& job : batch) {
        EXPECT_EQ(job.generation, 1);
        claimed.insert(job.job_id);
      }
    }
  });
  EXPECT_EQ(claimed.size(), jobs);
  EXPECT_EQ((std::set<JobId>{claimed.begin(), claimed.end()}.size()), jobs);
}

TEST_P(Claim, CLM_1_FIN_2_NoGenerationHasTwoOwnersWhileLeasesEnd) {
  constexpr std::size_t workers = 6;
  auto many_attempts = job();
  many_attempts.max_attempts = 1000;
  add(20, many_attempts);
  std::mutex mutex;
  std::set<std::pair<JobId, std::int64_t>> held;
  std::map<JobId, int> completed;
  const auto note = [&](const Job& job) {
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(held.emplace(job.job_id, job.generation).second)
        << "two claims got generation " << job.generation << " of " << job.job_id.text();
  };
  at_once(workers, [&](std::size_t w) {
    const auto connection = place().open();
    const Queue quick{place().dialect(), {.backoff = {.base = 1ms, .cap = 1ms}}};
    // Leases so short that many end before the job is finished; they grow, so that all end well.
    Duration lease = 2ms;
    EXPECT_TRUE(eventually([&] {
      quick.reap(*connection);
      lease += 500us;
      for (const auto& job : quick.claim(
               *connection,
               {.queue = "q", .worker = "w" + std::to_string(w), .limit = 3, .lease = lease})) {
        note(job);
        if (quick.complete(*connection, job.lease()) == Finish::done) {
          const std::lock_guard lock{mutex};
          ++completed[job.job_id];
        }
      }
      return quick.stats(*connection, "q").at(0).succeeded == 20;
    }));
  });
  for (const auto& [id, times] : completed) EXPECT_EQ(times, 1) << id.text();
  EXPECT_EQ(completed.size(), 20U);
}

TEST_P(Claim, CLM_1_FLT_1_HoldsUnderTheMostHostileSessionDefaults) {
  constexpr std::size_t jobs = 60;
  add(jobs);
  std::mutex mutex;
  std::multiset<JobId> claimed;
  at_once(4, [&](std::size_t w) {
    const auto connection = place().open({.session = texts().hostile_session});
    for (;;) {
      const auto batch =
          queue().claim(*connection, {.queue = "q", .worker = "w" + std::to_string(w), .limit = 4});
      if (batch.empty()) return;
      for (const auto& job : batch) {
        EXPECT_EQ(queue().complete(*connection, job.lease()), Finish::done);
        queue().enqueue(*connection,
                        {.queue = "done", .kind = "k", .unique_key = job.job_id.text()});
        const std::lock_guard lock{mutex};
        claimed.insert(job.job_id);
      }
    }
  });
  EXPECT_EQ(claimed.size(), jobs);
  EXPECT_EQ(count("tq_job", "queue = 'done'"), static_cast<std::int64_t>(jobs));
  const auto& mild = server().limits.session;
  if (!mild.empty())
    weaker("CLM-1", "with the defaults as they are, not the most hostile: " + mild);
}

TEST_P(Claim, CLM_2_ClaimerTakesTheNextRowInsteadOfWaiting) {
  const auto jobs = add(3);
  const auto other = place().raw();
  other->execute(texts().begin);
  lock_row(*other, jobs[0]);
  const auto connection = place().open({.lock_wait = 300ms});
  if (facts().concurrent_writers) {
    const auto start = std::chrono::steady_clock::now();
    const auto got = impatient().claim(*connection, {.queue = "q", .worker = "w"});
    EXPECT_LT(std::chrono::steady_clock::now() - start, 250ms);
    EXPECT_EQ(ids(got), std::vector{jobs[1]});
  } else {
    const auto error =
        error_of([&] { (void)impatient().claim(*connection, {.queue = "q", .worker = "w"}); });
    EXPECT_EQ(error.code(), Errc::busy);
    EXPECT_TRUE(error.retryable());
    weaker("CLM-2", one_writer);
  }
  other->execute(texts().rollback);
  EXPECT_FALSE(claim(3).empty());
}

TEST_P(Claim, CLM_3_OrderIsPriorityThenTimeThenId) {
  const auto base = queue().now(db());
  std::vector<NewJob> jobs;
  for (int i = 0; i < 60; ++i) {
    auto mixed = job();
    mixed.priority = (i * 7) % 21 - 10;
    mixed.run_at = base - Duration{1s} * (i % 4);
    jobs.push_back(mixed);
  }
  queue().enqueue(db(), jobs);
  std::vector<Job> claimed;
  while (true) {
    const auto batch = claim(7);
    if (batch.empty()) break;
    claimed.insert(claimed.end(), batch.begin(), batch.end());
  }
  ASSERT_EQ(claimed.size(), jobs.size());
  const auto order = [](const Job& job) {
    return std::tuple{-job.priority, job.run_at, job.job_id};
  };
  EXPECT_TRUE(std::ranges::is_sorted(claimed, {}, order));
}

TEST_P(Claim, CLM_3_HigherPriorityDueLaterDoesNotHideLowerDueNow) {
  auto later = job();
  later.priority = 10;
  later.delay = 1h;
  add(50, later);
  auto low = job();
  low.priority = -10;
  const auto due = add(low);
  EXPECT_EQ(ids(claim(5)), std::vector{due});
}

TEST_P(Claim, CLM_4_ClaimSetsAndReturnsEverything) {
  auto full = job();
  full.payload = R"({"order": 7})";
  full.priority = 3;
  full.max_attempts = 5;
  full.unique_key = "u";
  full.group_key = "g";
  const auto id = add(full);
  const auto before = queue().now(db());
  const auto claimed =
      queue().claim(db(), {.queue = "q", .worker = "worker one", .limit = 1, .lease = 90s});
  const auto after = queue().now(db());
  ASSERT_EQ(claimed.size(), 1U);
  const auto& got = claimed[0];
  const auto stored = row(id);
  EXPECT_EQ(got.job_id, id);
  EXPECT_EQ(got.generation, 1);
  EXPECT_EQ(got.queue, "q");
  EXPECT_EQ(got.kind, "k");
  EXPECT_EQ(got.payload, full.payload);
  EXPECT_EQ(got.priority, 3);
  EXPECT_EQ(got.attempts_left(), 4);
  EXPECT_EQ(got.worker, "worker one");
  EXPECT_EQ(got.unique_key, "u");
  EXPECT_EQ(got.group_key, "g");
  EXPECT_EQ(got.run_at, stored.run_at);
  EXPECT_EQ(got.created_at, stored.created_at);
  EXPECT_GE(got.lease_until, before + 90s);
  EXPECT_LE(got.lease_until, after + 90s);
  EXPECT_EQ(stored.state, State::running);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.worker_id, "worker one");
  EXPECT_EQ(stored.lease_until, got.lease_until);
  EXPECT_FALSE(stored.last_outcome.has_value());
}

TEST_P(Claim, CLM_4_ClaimIsCommittedWhenItReturns) {
  const auto id = add();
  (void)claim_one();
  const auto other = place().open();
  EXPECT_EQ(queue().find(*other, id.text()).at(0).state, State::running);
  EXPECT_NE(db().transaction_state(), TransactionState::open);
}

TEST_P(Claim, CLM_5_FinalExhaustedPausedUndueAndForeignJobsAreNeverReturned) {
  auto once = job();
  once.max_attempts = 1;
  const auto dead = add(once);
  ASSERT_EQ(queue().fail(db(), claim_one().lease(), {.error = "e"}), Finish::done);
  const auto succeeded = add();
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  const auto cancelled = add();
  (void)queue().cancel(db(), std::vector{cancelled});
  auto delayed = job();
  delayed.delay = 1h;
  add(delayed);
  auto foreign = job();
  foreign.queue = "q2";
  add(foreign);
  add();
  (void)claim_one();  // Running, with a live lease.
  EXPECT_TRUE(claim(100).empty());
  EXPECT_EQ(state(dead), State::dead);
  EXPECT_EQ(state(succeeded), State::succeeded);
  add();
  queue().pause(db(), "q");
  EXPECT_TRUE(claim(100).empty());
  queue().resume(db(), "q");
  EXPECT_EQ(claim(100).size(), 1U);
}

TEST_P(Claim, CLM_6_AtMostNAndNoneIsEmpty) {
  EXPECT_TRUE(claim(5).empty());
  add(7);
  EXPECT_EQ(claim(5).size(), 5U);
  EXPECT_EQ(claim(5).size(), 2U);
  EXPECT_TRUE(claim(5).empty());
  EXPECT_TRUE(queue().claim(db(), {.queue = "never used", .worker = "w"}).empty());
}

TEST_P(Claim, CLM_6_LimitHoldsAcrossPriorities) {
  for (int priority = -10; priority <= 10; ++priority) {
    auto levelled = job();
    levelled.priority = priority;
    add(3, levelled);
  }
  EXPECT_EQ(claim(10).size(), 10U);
  EXPECT_EQ(claim(1000).size(), 53U);
}

TEST_P(Claim, CLM_7_UncommittedClaimHidesOnlyItsOwnJobs) {
  auto urgent = job();
  urgent.priority = 5;
  auto jobs = add(2, urgent);  // The claim takes these and one of the next level.
  const auto others = add(8);
  jobs.insert(jobs.end(), others.begin(), others.end());
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  const auto first = queue().claim(*borrowed, {.queue = "q", .worker = "a", .limit = 3});
  EXPECT_EQ(ids(first), std::vector(jobs.begin(), jobs.begin() + 3));
  const auto connection = place().open({.lock_wait = 300ms});
  if (facts().concurrent_writers) {
    const auto second = impatient().claim(*connection, {.queue = "q", .worker = "b", .limit = 100});
    EXPECT_EQ(ids(second), std::vector(jobs.begin() + 3, jobs.end()));
    app().execute(texts().commit);
  } else {
    const auto error =
        error_of([&] { (void)impatient().claim(*connection, {.queue = "q", .worker = "b"}); });
    EXPECT_EQ(error.code(), Errc::busy);
    weaker("CLM-7", one_writer);
    app().execute(texts().commit);
    EXPECT_EQ(claim(100, "b").size(), 7U);
  }
  EXPECT_EQ(count("tq_job", "state = 'running'"), 10);
}

TEST_P(Claim, CLM_4_FIN_5_RolledBackClaimSpendsNoAttempt) {
  const auto id = add();
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  ASSERT_EQ(queue().claim(*borrowed, {.queue = "q", .worker = "a"}).size(), 1U);
  app().execute(texts().rollback);
  EXPECT_EQ(row(id).attempts, 0);
  EXPECT_EQ(claim_one().generation, 1);
}

}  // namespace
}  // namespace tq::conformance
