// FIN-1 to FIN-6: how a claim ends.
#include <thread>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Finishing : public PairTest {
 protected:
  [[nodiscard]] Job claimed(const NewJob& job = PairTest::job()) const {
    add(job);
    return claim_one();
  }
};
INSTANTIATE_TEST_SUITE_P(, Finishing, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Finishing, FIN_1_CompleteMakesItSucceededAndClearsTheOwner) {
  const auto held = claimed();
  const auto before = queue().now(db());
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
  const auto stored = row(held.job_id);
  EXPECT_EQ(stored.state, State::succeeded);
  EXPECT_FALSE(stored.worker_id.has_value());
  EXPECT_FALSE(stored.lease_until.has_value());
  ASSERT_TRUE(stored.finished_at.has_value());
  EXPECT_GE(*stored.finished_at, before);
  EXPECT_LE(*stored.finished_at, queue().now(db()));
  EXPECT_EQ(stored.last_worker, "w");
  EXPECT_EQ(stored.last_outcome, "completed");
  EXPECT_EQ(stored.attempts, 1);
}

TEST_P(Finishing, FIN_2_StaleAcknowledgementIsLostAndChangesNothing) {
  const auto first = claimed();
  end_lease(first.job_id);
  ASSERT_EQ(queue().reap(db()), 1U);
  move_back(first.job_id, "run_at", 3h);
  const auto second = claim_one("other");
  ASSERT_EQ(second.generation, 2);
  auto impostor = second.lease();
  impostor.worker = "w";
  for (const auto& lease : {first.lease(), impostor}) {
    EXPECT_EQ(queue().complete(db(), lease), Finish::lost);
    EXPECT_EQ(queue().fail(db(), lease, {.error = "e"}), Finish::lost);
    EXPECT_EQ(queue().snooze(db(), lease, 1s), Finish::lost);
    EXPECT_EQ(queue().release(db(), lease), Finish::lost);
  }
  const auto stored = row(first.job_id);
  EXPECT_EQ(stored.state, State::running);
  EXPECT_EQ(stored.worker_id, "other");
  EXPECT_EQ(stored.attempts, 2);
  EXPECT_EQ(stored.max_attempts, 3);
  EXPECT_EQ(queue().failures(db(), first.job_id).size(), 1U);  // The reaper's.
  EXPECT_EQ(queue().complete(db(), second.lease()), Finish::done);
}

TEST_P(Finishing, FIN_2_MissingRowIsGone) {
  const auto held = claimed();
  app().execute("DELETE FROM " + place().table("tq_job"));
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::gone);
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "e"}), Finish::gone);
  EXPECT_EQ(queue().snooze(db(), held.lease(), 1s), Finish::gone);
  EXPECT_EQ(count("tq_failure"), 0);
}

TEST_P(Finishing, FIN_2_ReadyJobIsNobodys) {
  const auto id = add();
  EXPECT_EQ(queue().complete(db(), {id, 1, "w"}), Finish::lost);
  EXPECT_EQ(state(id), State::ready);
}

TEST_P(Finishing, FIN_3_RepeatIsAnsweredAlready) {
  const auto held = claimed();
  ASSERT_EQ(queue().complete(db(), held.lease()), Finish::done);
  const auto before = row(held.job_id);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::already);
  EXPECT_EQ(row(held.job_id).finished_at, before.finished_at);
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "e"}), Finish::lost);
  auto other = held.lease();
  other.worker = "other";
  EXPECT_EQ(queue().complete(db(), other), Finish::lost);
  EXPECT_TRUE(queue().failures(db(), held.job_id).empty());
}

TEST_P(Finishing, FIN_3_FIN_2_EarlierGenerationIsLostThoughTheSameWasAcceptedSince) {
  const auto first = claimed();
  ASSERT_EQ(queue().fail(db(), first.lease(), {.error = "one", .retry_in = 0s}), Finish::done);
  const auto second = claim_one();
  ASSERT_EQ(queue().fail(db(), second.lease(), {.error = "two", .retry_in = 0s}), Finish::done);
  EXPECT_EQ(queue().fail(db(), first.lease(), {.error = "one"}), Finish::lost);
  EXPECT_EQ(queue().fail(db(), second.lease(), {.error = "two"}), Finish::already);
  EXPECT_EQ(queue().failures(db(), first.job_id).size(), 2U);
}

TEST_P(Finishing, FIN_3_RepeatedFailLeavesOneFailure) {
  const auto held = claimed();
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = "first"}), Finish::done);
  const auto run_at = row(held.job_id).run_at;
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "again"}), Finish::already);
  EXPECT_EQ(row(held.job_id).run_at, run_at);
  const auto failures = queue().failures(db(), held.job_id);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].error, "first");
}

TEST_P(Finishing, FIN_3_FIN_6_RepeatedSnoozeRaisesMaxAttemptsOnce) {
  const auto held = claimed();
  EXPECT_EQ(queue().snooze(db(), held.lease(), 1h), Finish::done);
  EXPECT_EQ(queue().snooze(db(), held.lease(), 1h), Finish::already);
  EXPECT_EQ(row(held.job_id).max_attempts, 4);
}

TEST_P(Finishing, FIN_3_ClaimClearsTheLastOutcome) {
  const auto first = claimed();
  ASSERT_EQ(queue().release(db(), first.lease()), Finish::done);
  EXPECT_EQ(row(first.job_id).last_outcome, "released");
  const auto second = claim_one();
  EXPECT_FALSE(row(first.job_id).last_outcome.has_value());
  EXPECT_EQ(queue().release(db(), first.lease()), Finish::lost);
  EXPECT_EQ(queue().release(db(), second.lease()), Finish::done);
}

TEST_P(Finishing, FIN_3_REP_1_ReaperStoresExpired) {
  const auto held = claimed();
  end_lease(held.job_id);
  ASSERT_EQ(queue().reap(db()), 1U);
  EXPECT_EQ(row(held.job_id).last_outcome, "expired");
  EXPECT_EQ(row(held.job_id).last_worker, "w");
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::lost);
}

TEST_P(Finishing, FIN_4_BatchReportsEachOutcome) {
  add(6);
  const auto held = claim(6);
  ASSERT_EQ(queue().complete(db(), held[1].lease()), Finish::done);
  end_lease(held[2].job_id);
  const std::vector<Acknowledgement> batch{
      {.lease = held[0].lease()},
      {.lease = held[1].lease()},
      {.lease = held[2].lease()},
      {.lease = {JobId::generate(), 1, "w"}},
      {.lease = held[3].lease(), .verb = Verb::failed, .delay = 1h, .error = "later"},
      {.lease = held[4].lease(), .verb = Verb::failed, .error = "never again"},
      {.lease = held[5].lease(), .verb = Verb::snoozed, .delay = 1h},
  };
  const std::vector expected{Finish::done, Finish::already, Finish::lost, Finish::gone,
                             Finish::done, Finish::done,    Finish::done};
  EXPECT_EQ(queue().finish(db(), batch), expected);
  EXPECT_EQ(state(held[0].job_id), State::succeeded);
  EXPECT_EQ(state(held[2].job_id), State::running);
  EXPECT_EQ(state(held[3].job_id), State::ready);
  EXPECT_EQ(state(held[4].job_id), State::dead);
  EXPECT_EQ(row(held[5].job_id).max_attempts, 4);
}

TEST_P(Finishing, FIN_4_BigBatchIsFinishedWhole) {
  add(1000);
  std::vector<Acknowledgement> batch;
  for (const auto& job : claim(1000)) batch.push_back({.lease = job.lease()});
  ASSERT_EQ(batch.size(), 1000U);
  const auto outcomes = queue().finish(db(), batch);
  EXPECT_EQ(std::ranges::count(outcomes, Finish::done), 1000);
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), 1000);
}

TEST_P(Finishing, FIN_5_CompletionCommitsWithTheApplication) {
  const auto held = claimed();
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "effect");
  EXPECT_EQ(queue().complete(*borrowed, held.lease()), Finish::done);
  EXPECT_EQ(state(held.job_id), State::running);
  app().execute(texts().commit);
  EXPECT_EQ(state(held.job_id), State::succeeded);
  EXPECT_EQ(app_rows(), 1);
}

TEST_P(Finishing, FIN_5_RolledBackEffectLeavesTheJobRunning) {
  const auto held = claimed();
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "effect");
  EXPECT_EQ(queue().complete(*borrowed, held.lease()), Finish::done);
  app().execute(texts().rollback);
  EXPECT_EQ(state(held.job_id), State::running);
  EXPECT_EQ(app_rows(), 0);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
}

TEST_P(Finishing, FIN_5_LocalEffectHappensOnceHoweverOftenItIsTried) {
  add(40);
  at_once(4, [&](std::size_t w) {
    const auto connection = place().open();
    const auto raw = place().raw();
    const auto borrowed = raw->borrow();
    const auto name = "w" + std::to_string(w);
    for (int empty = 0; empty < 3;) {
      // A lease of nothing: some claims are lost to others in the middle of the effect.
      const auto jobs = queue().claim(*connection, {.queue = "q", .worker = name, .lease = 20ms});
      empty = jobs.empty() ? empty + 1 : 0;
      for (const auto& job : jobs) {
        raw->execute(texts().begin);
        insert_row(*raw, job.job_id.text());
        const bool accepted = queue().complete(*borrowed, job.lease()) == Finish::done;
        raw->execute(accepted ? texts().commit : texts().rollback);
      }
    }
  });
  const auto doubled = app().execute("SELECT note FROM " + place().table("tqc_row") +
                                     " GROUP BY note HAVING COUNT(*) > 1");
  EXPECT_TRUE(doubled.empty());
  EXPECT_EQ(app_rows(), count("tq_job", "state = 'succeeded'"));
  EXPECT_GT(app_rows(), 0);
}

TEST_P(Finishing, FIN_6_FailedJobIsTriedAgainAfterItsBackoff) {
  const auto held = claimed();
  const auto before = queue().now(db());
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = "boom", .retry_in = 10min}), Finish::done);
  const auto after = queue().now(db());
  const auto stored = row(held.job_id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_GE(stored.run_at, before + 10min);
  EXPECT_LE(stored.run_at, after + 10min);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.last_error, "boom");
  EXPECT_EQ(stored.last_outcome, "failed");
  EXPECT_FALSE(stored.worker_id.has_value());
  EXPECT_TRUE(claim(1).empty());
  const auto failures = queue().failures(db(), held.job_id);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].generation, 1);
  EXPECT_EQ(failures[0].worker, "w");
  EXPECT_EQ(failures[0].error, "boom");
  EXPECT_GE(failures[0].failed_at, before);
  EXPECT_LE(failures[0].failed_at, after);
  move_back(held.job_id, "run_at", 1h);
  EXPECT_EQ(claim_one().generation, 2);
}

TEST_P(Finishing, FIN_6_LastFailureMakesItDead) {
  auto twice = job();
  twice.max_attempts = 2;
  auto held = claimed(twice);
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = "one", .retry_in = 0s}), Finish::done);
  held = claim_one();
  EXPECT_EQ(held.attempts_left(), 0);
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = "two", .retry_in = 0s}), Finish::done);
  const auto stored = row(held.job_id);
  EXPECT_EQ(stored.state, State::dead);
  EXPECT_TRUE(stored.finished_at.has_value());
  EXPECT_EQ(stored.last_error, "two");
  EXPECT_EQ(queue().failures(db(), held.job_id).size(), 2U);
  EXPECT_TRUE(claim(1).empty());
}

TEST_P(Finishing, FIN_6_FailureForGoodIsDeadAtOnce) {
  const auto held = claimed();
  const Failure never{.error = "malformed", .then = Failure::Then::dead};
  EXPECT_EQ(queue().fail(db(), held.lease(), never), Finish::done);
  EXPECT_EQ(state(held.job_id), State::dead);
  EXPECT_EQ(row(held.job_id).attempts, 1);
}

TEST_P(Finishing, FIN_6_SnoozeAndReleaseUseUpNoAttempt) {
  auto once = job();
  once.max_attempts = 1;
  auto held = claimed(once);
  ASSERT_EQ(queue().snooze(db(), held.lease(), 10min), Finish::done);
  EXPECT_EQ(row(held.job_id).max_attempts, 2);
  EXPECT_EQ(row(held.job_id).attempts, 1);
  EXPECT_TRUE(claim(1).empty());
  move_back(held.job_id, "run_at", 1h);
  held = claim_one();
  ASSERT_EQ(queue().release(db(), held.lease()), Finish::done);
  EXPECT_EQ(row(held.job_id).max_attempts, 3);
  held = claim_one();
  EXPECT_EQ(held.generation, 3);
  EXPECT_EQ(held.attempts_left(), 0);
  EXPECT_TRUE(queue().failures(db(), held.job_id).empty());
}

TEST_P(Finishing, FIN_6_LongErrorIsCutAtAWholeCharacter) {
  const auto held = claimed();
  std::string error;
  for (int i = 0; i < 5000; ++i) error += "\xF0\x9F\x98\x80";
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = error}), Finish::done);
  EXPECT_EQ(row(held.job_id).last_error, error.substr(0, std::size_t{4} * 4000));
}

TEST_P(Finishing, FIN_4_CLM_4_FinishAndClaimAreOneTransaction) {
  const auto held = claimed();
  const auto next = add();
  auto stale = held.lease();
  stale.generation = 7;
  const std::vector<Acknowledgement> batch{{.lease = held.lease()}, {.lease = stale}};
  const ClaimRequest request{.queue = "q", .worker = "w", .limit = 5};
  const auto both = queue().finish_and_claim(db(), batch, request);
  EXPECT_EQ(both.finished, (std::vector{Finish::done, Finish::lost}));
  EXPECT_EQ(ids(both.claimed), std::vector{next});
  EXPECT_EQ(state(held.job_id), State::succeeded);
  EXPECT_EQ(row(next).worker_id, "w");

  const auto again = queue().finish_and_claim(db(), {batch.data(), 1}, request);
  EXPECT_EQ(again.finished, std::vector{Finish::already});
  EXPECT_TRUE(again.claimed.empty());
}

TEST_P(Finishing, FIN_4_GRP_2_FinishAndClaimGoOnWithTheGroup) {
  auto grouped = job();
  grouped.group_key = "g";
  const auto order = add(3, grouped);
  auto held = claim_one();
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(held.job_id, order[i]);
    const std::vector<Acknowledgement> batch{{.lease = held.lease()}};
    const auto both =
        queue().finish_and_claim(db(), batch, {.queue = "q", .worker = "w", .limit = 5});
    EXPECT_EQ(both.finished, std::vector{Finish::done});
    ASSERT_EQ(both.claimed.size(), i + 1 < order.size() ? 1U : 0U);
    if (!both.claimed.empty()) held = both.claimed.front();
  }
}

TEST_P(Finishing, FIN_4_FinishAndClaimRefuseBadInputBeforeAnythingChanges) {
  const auto held = claimed();
  const std::vector<Acknowledgement> batch{{.lease = held.lease()}};
  const auto error = error_of([&] {
    (void)queue().finish_and_claim(db(), batch, {.queue = "q", .worker = "w", .limit = 0});
  });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_EQ(state(held.job_id), State::running);
}

// The row changes between the snapshot of the finish and its lock.
TEST_P(Finishing, FIN_1_LSE_6_CompleteWaitsOutWhoeverChangesTheRow) {
  const auto held = claimed();
  app().execute(texts().begin);
  app().execute("UPDATE " + place().table("tq_job") + " SET cancel_requested_at = run_at");
  std::jthread later{[&] {
    std::this_thread::sleep_for(100ms);
    app().execute(texts().commit);
  }};
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
  later.join();
  EXPECT_EQ(state(held.job_id), State::succeeded);
}

}  // namespace
}  // namespace tq::conformance
