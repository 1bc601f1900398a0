// ENQ-2: on the application's connection everything belongs to the application.
#include <thread>

#include "fixture.hpp"
#include "watched.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Borrowed : public PairTest {
 protected:
  [[nodiscard]] static NewJob keyed() {
    auto keyed = job();
    keyed.unique_key = "key";
    return keyed;
  }
};
INSTANTIATE_TEST_SUITE_P(, Borrowed, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Borrowed, ENQ_2_UNQ_1_RefusedDuplicateLeavesTheTransactionUsable) {
  const auto holder = add(keyed());
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "before");
  const auto refused = queue().enqueue(*borrowed, keyed());
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(refused.job_id, holder);
  insert_row(app(), "after");
  EXPECT_TRUE(queue().enqueue(*borrowed, job()).inserted);
  app().execute(texts().commit);
  EXPECT_EQ(app_rows(), 2);
  EXPECT_EQ(count("tq_job"), 2);
}

TEST_P(Borrowed, ENQ_2_NothingIsBegunCommittedOrRolledBack) {
  const auto borrowed = app().borrow();
  Watched watched{*borrowed};
  add(10);
  app().execute(texts().begin);
  const auto jobs = queue().claim(watched, {.queue = "q", .worker = "w", .limit = 10});
  ASSERT_EQ(jobs.size(), 10U);
  queue().enqueue(watched, job());
  (void)queue().extend(watched, jobs[0].lease(), 60s);
  (void)queue().complete(watched, jobs[0].lease());
  (void)queue().fail(watched, jobs[1].lease(), {.error = "e"});
  (void)queue().snooze(watched, jobs[2].lease(), 1s);
  (void)queue().release(watched, jobs[3].lease());
  (void)queue().cancel(watched, std::vector{jobs[4].job_id});
  (void)queue().requeue(watched, std::vector{jobs[0].job_id}, 1);
  (void)queue().purge(watched, {});
  (void)queue().reap(watched);
  (void)queue().stats(watched);
  queue().pause(watched, "q");
  queue().resume(watched, "q");
  EXPECT_EQ(borrowed->transaction_state(), TransactionState::open);
  EXPECT_EQ(watched.begins + watched.commits + watched.rollbacks, 0);
  app().execute(texts().rollback);
  EXPECT_EQ(claim(20).size(), 10U);  // All of it went back with the application's transaction.
}

TEST_P(Borrowed, ENQ_2_SessionSettingsStayAsTheyWere) {
  const auto borrowed = app().borrow();
  const auto before = app().execute(texts().session_settings);
  app().execute(texts().begin);
  queue().enqueue(*borrowed, keyed());
  queue().enqueue(*borrowed, keyed());
  const auto jobs = queue().claim(*borrowed, {.queue = "q", .worker = "w"});
  (void)queue().complete(*borrowed, jobs.at(0).lease());
  app().execute(texts().commit);
  (void)queue().stats(*borrowed);
  EXPECT_EQ(app().execute(texts().session_settings), before);
}

TEST_P(Borrowed, ENQ_2_SeveralStepsNeedATransactionOfTheApplication) {
  add();
  const auto borrowed = app().borrow();
  if (borrowed->transaction_state() == TransactionState::unknown) {
    weaker("ENQ-2",
           "the client library cannot tell whether a transaction is open: to have one "
           "is the caller's duty");
    return;
  }
  const std::vector<NewJob> many(1500, job());
  if (const auto& reason = texts().no_autocommit; !reason.empty()) {
    weaker("ENQ-2", reason);
    queue().enqueue(*borrowed, many);
    EXPECT_EQ(borrowed->transaction_state(), TransactionState::open);
    EXPECT_EQ(queue().stats(db(), "q").at(0).ready, 1);
    app().execute(texts().rollback);  // the application's to end
    EXPECT_EQ(count("tq_job"), 1);
    return;
  }
  const auto error = error_of([&] { queue().enqueue(*borrowed, many); });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_EQ(borrowed->transaction_state(), TransactionState::none);
  EXPECT_EQ(count("tq_job"), 1);
}

TEST_P(Borrowed, ENQ_2_RaceUnderASnapshotIsRetryableOrAnswered) {
  const auto borrowed = app().borrow();
  app().execute(texts().begin_snapshot);
  EXPECT_EQ(app().execute("SELECT COUNT(*) FROM " + place().table("tqc_row")).at(0).at(0), "0");
  const auto winner = add(keyed());
  if (const auto race = texts().snapshot_race) {
    const auto error = error_of([&] { queue().enqueue(*borrowed, keyed()); });
    EXPECT_EQ(error.code(), *race) << error.what();
    EXPECT_TRUE(error.retryable());
  } else {
    const auto refused = queue().enqueue(*borrowed, keyed());
    EXPECT_FALSE(refused.inserted);
    EXPECT_EQ(refused.job_id, winner);
  }
  app().execute(texts().rollback);
  app().execute(texts().begin_snapshot);
  EXPECT_EQ(queue().enqueue(*borrowed, keyed()).job_id, winner);
  app().execute(texts().commit);
  EXPECT_EQ(count("tq_job"), 1);
}

TEST_P(Borrowed, ENQ_2_UNQ_1_KeyThatEndedSinceTheSnapshotIsFree) {
  add(keyed());
  const auto borrowed = app().borrow();
  app().execute(texts().begin_snapshot);
  EXPECT_EQ(count("tq_job"), 1);  // takes the snapshot
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  try {
    EXPECT_TRUE(queue().enqueue(*borrowed, keyed()).inserted);
    app().execute(texts().commit);
    EXPECT_EQ(count("tq_job", "state = 'ready'"), 1);
  } catch (const Error& error) {
    EXPECT_TRUE(error.retryable()) << error.what();
    app().execute(texts().rollback);
    EXPECT_TRUE(queue().enqueue(db(), keyed()).inserted);
  }
}

TEST_P(Borrowed, ENQ_2_DuplicateThatTheSnapshotSeesIsAnAnswer) {
  const auto holder = add(keyed());
  const auto borrowed = app().borrow();
  app().execute(texts().begin_snapshot);
  const auto refused = queue().enqueue(*borrowed, keyed());
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(refused.job_id, holder);
  insert_row(app(), "after");
  app().execute(texts().commit);
  EXPECT_EQ(app_rows(), 1);
}

TEST_P(Borrowed, ENQ_2_FLT_1_RetryableErrorIsPassedOnAndNotRetried) {
  if (texts().short_lock_wait.empty()) return weaker("FLT-1", waits_without_end);
  const auto id = add();
  const auto borrowed = app().borrow();
  const auto other = place().raw();
  other->execute(texts().begin);
  lock_row(*other, id);
  app().execute(texts().begin);
  app().execute(texts().short_lock_wait);
  Watched watched{*borrowed};
  std::map<std::uint64_t, int> asked;
  watched.before_run = [&](const Statement& statement, std::span<const Argument> /*args*/) {
    EXPECT_EQ(++asked[statement.id()], 1) << statement.name() << " is asked again";
  };
  const auto error = error_of([&] { (void)queue().cancel(watched, std::vector{id}); });
  EXPECT_EQ(error.code(), Errc::busy) << error.what();
  EXPECT_TRUE(error.retryable());
  EXPECT_EQ(watched.rollbacks, 0);
  app().execute(texts().rollback);
  other->execute(texts().rollback);
  EXPECT_EQ(state(id), State::ready);
}

TEST_P(Borrowed, ENQ_2_FLT_1_MutualWaitEndsWithARetryableError) {
  const auto first = add();
  const auto second = add();
  const auto other = place().raw();
  // Each may wait in turn, so a patient engine has to break the tie.
  app().execute(texts().begin);
  other->execute(texts().begin);
  std::vector<std::optional<Error>> errors(2);
  const auto cross = [&](std::size_t side, RawConnection& raw, JobId locked, JobId wanted) {
    const auto borrowed = raw.borrow();
    try {
      lock_row(raw, locked);
      std::this_thread::sleep_for(100ms);
      (void)queue().cancel(*borrowed, std::vector{wanted});
      raw.execute(texts().commit);
    } catch (const Error& error) {
      errors[side] = error;
      raw.execute(texts().rollback);
    } catch (const RawError&) {
      raw.execute(texts().rollback);  // The engine lets no two writers come so far.
    }
  };
  at_once(2, [&](std::size_t side) {
    side == 0 ? cross(0, app(), first, second) : cross(1, *other, second, first);
  });
  if (facts().concurrent_writers) {
    ASSERT_NE(errors[0].has_value(), errors[1].has_value()) << "exactly one has to give way";
    const auto& error = errors[0] ? *errors[0] : *errors[1];
    EXPECT_EQ(error.code(), texts().mutual_wait) << error.what();
    EXPECT_TRUE(error.retryable());
    EXPECT_EQ(error.transaction_lost(), texts().mutual_wait_ends_transaction);
  }
  // Whoever got through is complete, whoever did not has left nothing.
  EXPECT_EQ(count("tq_job", "state = 'cancelled'"), facts().concurrent_writers ? 1 : 2);
}

}  // namespace
}  // namespace tq::conformance
