// GRP-1 to GRP-3: jobs of one group run one at a time, in order, and block nobody else.
#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Groups : public PairTest {
 protected:
  [[nodiscard]] static NewJob grouped(const std::string& group = "g") {
    auto grouped = job();
    grouped.group_key = group;
    return grouped;
  }
  // Claims one job after another, completing each; at most `n`.
  [[nodiscard]] std::vector<JobId> run_order(std::size_t n) const {
    std::vector<JobId> order;
    while (order.size() < n) {
      const auto jobs = claim(5);
      if (jobs.empty()) break;
      for (const auto& held : jobs) {
        EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
        order.push_back(held.job_id);
      }
    }
    return order;
  }
};
INSTANTIATE_TEST_SUITE_P(, Groups, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Groups, GRP_1_OneJobOfAGroupAtATime) {
  const auto jobs = add(3, grouped());
  const auto other = add(grouped("h"));
  const auto plain = add();
  const auto first = claim(10);
  EXPECT_EQ(ids(first), (std::vector{jobs[0], other, plain}));
  EXPECT_TRUE(claim(10).empty());
  ASSERT_EQ(queue().complete(db(), first[0].lease()), Finish::done);
  EXPECT_EQ(ids(claim(10)), std::vector{jobs[1]});
}

TEST_P(Groups, GRP_1_TheDatabaseItselfRefusesASecondRunningJob) {
  const auto jobs = add(2, grouped());
  ASSERT_EQ(claim_one().job_id, jobs[0]);
  EXPECT_THROW(update(jobs[1],
                      "state = 'running', attempts = 1, worker_id = 'x', "
                      "lease_until = run_at"),
               RawError);
  EXPECT_EQ(state(jobs[1]), State::ready);
}

TEST_P(Groups, GRP_1_GroupIsPerQueue) {
  auto elsewhere = grouped();
  elsewhere.queue = "other";
  add(grouped());
  add(elsewhere);
  EXPECT_EQ(claim(5).size(), 1U);
  EXPECT_EQ(queue().claim(db(), {.queue = "other", .worker = "w"}).size(), 1U);
}

TEST_P(Groups, GRP_2_PriorityDoesNotReorderAGroup) {
  auto urgent = grouped();
  urgent.priority = 10;
  const std::vector expected{add(grouped()), add(urgent), add(grouped()), add(urgent)};
  EXPECT_EQ(run_order(4), expected);
}

TEST_P(Groups, GRP_2_OneBulkCallKeepsItsOrder) {
  const auto expected = add(20, grouped());
  EXPECT_EQ(run_order(20), expected);
}

TEST_P(Groups, GRP_2_OneBulkCallOfSeveralBatchesKeepsItsOrder) {
  std::vector<NewJob> jobs(2500, job());
  for (const std::size_t i : {100U, 1300U, 2400U}) jobs[i].group_key = "g";
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].group_key) jobs[i].queue = "other";
  }
  const auto answers = queue().enqueue(db(), jobs);
  EXPECT_EQ(run_order(3),
            (std::vector{answers[100].job_id, answers[1300].job_id, answers[2400].job_id}));
}

TEST_P(Groups, GRP_2_DelayedHeadBlocksItsGroup) {
  auto delayed = grouped();
  delayed.delay = 1h;
  const auto head = add(delayed);
  const auto follower = add(grouped());
  const auto plain = add();
  EXPECT_EQ(ids(claim(10)), std::vector{plain});
  move_back(head, "run_at", 2h);
  EXPECT_EQ(run_order(2), (std::vector{head, follower}));
}

TEST_P(Groups, GRP_2_RetryingHeadBlocksItsGroup) {
  const auto jobs = add(2, grouped());
  const auto held = claim_one();
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = "e", .retry_in = 1h}), Finish::done);
  EXPECT_TRUE(claim(10).empty());
  move_back(jobs[0], "run_at", 2h);
  EXPECT_EQ(run_order(2), jobs);
}

TEST_P(Groups, GRP_2_SnoozedReleasedAndExpiredHeadsStayFirst) {
  const auto jobs = add(2, grouped());
  ASSERT_EQ(queue().release(db(), claim_one().lease()), Finish::done);
  ASSERT_EQ(queue().snooze(db(), claim_one().lease(), 1h), Finish::done);
  EXPECT_TRUE(claim(10).empty());
  move_back(jobs[0], "run_at", 2h);
  ASSERT_EQ(claim_one().job_id, jobs[0]);
  end_lease(jobs[0]);
  EXPECT_TRUE(claim(10).empty());
  ASSERT_EQ(queue().reap(db()), 1U);
  EXPECT_TRUE(claim(10).empty());
  move_back(jobs[0], "run_at", 2h);
  EXPECT_EQ(run_order(2), jobs);
}

TEST_P(Groups, GRP_2_GRP_3_DeadHeadOpensItsGroup) {
  const auto jobs = add(3, grouped());
  const Failure never{.error = "bad", .then = Failure::Then::dead};
  ASSERT_EQ(queue().fail(db(), claim_one().lease(), never), Finish::done);
  EXPECT_EQ(run_order(2), (std::vector{jobs[1], jobs[2]}));
}

TEST_P(Groups, GRP_2_GRP_3_ReapedDeadHeadOpensItsGroup) {
  auto once = grouped();
  once.max_attempts = 1;
  const auto jobs = add(2, once);
  ASSERT_EQ(claim_one().job_id, jobs[0]);
  EXPECT_TRUE(claim(10).empty());
  end_lease(jobs[0]);
  ASSERT_EQ(queue().reap(db()), 1U);
  EXPECT_EQ(ids(claim(10)), std::vector{jobs[1]});
}

TEST_P(Groups, GRP_3_OPS_3_CancelledDelayedHeadOpensAGroupThatWasLookedAt) {
  auto delayed = grouped();
  delayed.delay = 1h;
  const auto head = add(delayed);
  const auto follower = add(grouped());
  EXPECT_TRUE(claim(10).empty());
  EXPECT_EQ(queue().cancel(db(), std::vector{head}).at(0), Cancelled::cancelled);
  EXPECT_EQ(ids(claim(10)), std::vector{follower});
}

TEST_P(Groups, GRP_1_GRP_2_ENQ_5_PlainInsertsOfGroupedJobsKeepTheOrderToo) {
  const auto insert = [this](const std::string& kind) {
    app().execute("INSERT INTO " + place().table("tq_job") +
                  " (queue, kind, payload, group_key) VALUES ('q', '" + kind + "', '{}', 'g')");
  };
  insert("first");
  std::this_thread::sleep_for(2 * facts().clock_resolution);
  insert("second");
  std::this_thread::sleep_for(2 * facts().clock_resolution);
  insert("third");
  for (const std::string expected : {"first", "second", "third"}) {
    const auto held = claim(10);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].kind, expected);
    EXPECT_TRUE(claim(10).empty());
    ASSERT_EQ(queue().complete(db(), held[0].lease()), Finish::done);
  }
}

TEST_P(Groups, GRP_2_CreationTimeDecidesNotTheProducersId) {
  auto first = grouped();
  first.job_id = JobId::parse("ffffffff-0000-7000-8000-000000000001");
  auto second = grouped();
  second.job_id = JobId::parse("00000000-0000-7000-8000-000000000001");
  add(first);
  std::this_thread::sleep_for(2 * facts().clock_resolution);
  add(second);
  EXPECT_EQ(run_order(2), (std::vector{*first.job_id, *second.job_id}));
}

TEST_P(Groups, GRP_2_EarlierCreatedGoesFirstThoughItCommitsLater) {
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  const auto early = queue().enqueue(*borrowed, grouped()).job_id;
  // With one writer at a time the order of commits is the order of creation.
  if (!facts().concurrent_writers) app().execute(texts().commit);
  const auto late = add(grouped());
  if (facts().concurrent_writers) app().execute(texts().commit);
  EXPECT_EQ(run_order(2), (std::vector{early, late}));
}

TEST_P(Groups, GRP_3_FollowerThatCouldNotSeeItsPredecessorsEndIsOpened) {
  add(grouped());
  const auto held = claim_one();
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  const auto follower = queue().enqueue(*borrowed, grouped()).job_id;
  if (!facts().concurrent_writers) app().execute(texts().commit);
  // Neither sees the other: the follower counts on its predecessor, which is gone.
  ASSERT_EQ(queue().complete(db(), held.lease()), Finish::done);
  if (facts().concurrent_writers) app().execute(texts().commit);
  EXPECT_EQ(ids(claim(1)), std::vector{follower});
}

TEST_P(Groups, GRP_3_BlockedGroupHidesNobody) {
  auto head = grouped();
  head.delay = 1h;
  head.priority = 10;
  add(head);
  auto follower = grouped();
  follower.priority = 10;
  add(300, follower);
  const auto other = add(grouped("h"));
  const auto plain = add();
  EXPECT_EQ(ids(claim(10)), (std::vector{other, plain}));
}

// What workers and producers did, to be judged afterwards.
class History {
 public:
  void committed(JobId id, Clock::time_point when) {
    const std::lock_guard lock{mutex_};
    committed_[id] = when;
  }
  void starts(const Job& job, Clock::time_point claim_began) {
    const std::lock_guard lock{mutex_};
    EXPECT_EQ(++running_[*job.group_key], 1) << "two jobs of " << *job.group_key << " run at once";
    started_[*job.group_key].push_back({job, claim_began});
  }
  void ends(const Job& job) {
    const std::lock_guard lock{mutex_};
    --running_[*job.group_key];
  }
  [[nodiscard]] std::size_t started() const {
    std::size_t n = 0;
    for (const auto& [group, starts] : started_) n += starts.size();
    return n;
  }
  // A job that was there when a later one of its group was claimed must have been before it.
  void expect_order() const {
    for (const auto& [group, starts] : started_) {
      for (std::size_t i = 0; i < starts.size(); ++i) {
        for (std::size_t j = i + 1; j < starts.size(); ++j) {
          const auto& before = starts[i];
          const auto& after = starts[j];
          const bool out_of_order = std::pair{after.job.created_at, after.job.job_id} <
                                    std::pair{before.job.created_at, before.job.job_id};
          EXPECT_FALSE(out_of_order && committed_.at(after.job.job_id) < before.claim_began)
              << group << ": " << after.job.job_id.text() << " was passed over";
        }
      }
    }
  }

 private:
  struct Start {
    Job job;
    Clock::time_point claim_began;
  };
  std::mutex mutex_;
  std::map<JobId, Clock::time_point> committed_;
  std::map<std::string, std::vector<Start>> started_;
  std::map<std::string, int> running_;
};

class GroupsUnderLoad : public Groups {
 protected:
  static constexpr std::size_t producers = 4;
  static constexpr std::size_t jobs_each = 60;
  static constexpr std::size_t all_jobs = producers * jobs_each;

  // Enqueues in transactions that stay open for 0 to 15 ms.
  void produce(std::size_t seed) {
    std::mt19937 random{static_cast<unsigned>(seed)};
    const auto raw = place().raw();
    const auto borrowed = raw->borrow();
    for (std::size_t i = 0; i < jobs_each; ++i) {
      raw->execute(texts().begin);
      const auto id =
          queue().enqueue(*borrowed, grouped("g" + std::to_string(random() % 10))).job_id;
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 16});
      raw->execute(texts().commit);
      history_.committed(id, Clock::now());
    }
  }

  void work(std::size_t worker) {
    const auto connection = place().open();
    const auto name = "w" + std::to_string(worker);
    EXPECT_TRUE(eventually([&] {
      const auto began = Clock::now();
      for (const auto& job :
           queue().claim(*connection, {.queue = "q", .worker = name, .limit = 3})) {
        history_.starts(job, began);
        std::this_thread::yield();
        history_.ends(job);
        EXPECT_EQ(queue().complete(*connection, job.lease()), Finish::done);
        ++completed_;
      }
      return completed_ == all_jobs;
    })) << "a group is stuck: only "
        << completed_ << " of " << all_jobs << " ran";
  }

  History history_;
  std::atomic<std::size_t> completed_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, GroupsUnderLoad, ::testing::ValuesIn(servers()), instance_name);

TEST_P(GroupsUnderLoad, GRP_1_GRP_2_GRP_3_NoGroupSticksWhileProducersHoldTransactionsOpen) {
  constexpr std::size_t workers = 3;
  at_once(producers + workers,
          [&](std::size_t i) { i < producers ? produce(i) : work(i - producers); });
  EXPECT_EQ(history_.started(), all_jobs);
  history_.expect_order();
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), static_cast<std::int64_t>(all_jobs));
}

}  // namespace
}  // namespace tq::conformance
