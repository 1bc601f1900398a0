// FLT-1: refusals that may pass are recognised, and repeated where the transaction is ours.
#include <atomic>
#include <thread>

#include "child.hpp"
#include "drain_history.hpp"
#include "fixture.hpp"
#include "tq/schema.hpp"
#include "watched.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Faults : public PairTest {
 protected:
  // Every operation that writes, on a job that it fits.
  struct Operation {
    std::string name;
    std::function<void(Connection&)> run;
  };
  [[nodiscard]] std::vector<Operation> operations() const {
    const auto held = [this] { return claimed_; };
    return {
        {"enqueue", [this](Connection& db) { queue().enqueue(db, job()); }},
        {"claim",
         [this](Connection& db) {
           EXPECT_EQ(queue().claim(db, {.queue = "q", .worker = "w"}).size(), 1U);
         }},
        {"extend",
         [this, held](Connection& db) {
           EXPECT_EQ(queue().extend(db, held(), 60s).outcome, Finish::done);
         }},
        {"complete",
         [this, held](Connection& db) { EXPECT_EQ(queue().complete(db, held()), Finish::done); }},
        {"fail",
         [this, held](Connection& db) {
           EXPECT_EQ(queue().fail(db, held(), {.error = "e"}), Finish::done);
         }},
        {"reap",
         [this, held](Connection& db) {
           end_lease(held().job_id);
           EXPECT_EQ(queue().reap(db), 1U);
         }},
        {"cancel",
         [this, held](Connection& db) {
           EXPECT_EQ(queue().cancel(db, std::vector{held().job_id}).at(0), Cancelled::requested);
         }},
        {"pause", [this](Connection& db) { queue().pause(db, "q"); }},
    };
  }
  // A ready job and one that "w" holds.
  void fresh_jobs() {
    app().execute("DELETE FROM " + place().table("tq_job"));
    queue().resume(db(), "q");
    add(2);
    claimed_ = claim_one().lease();
  }
  Lease claimed_;
};
INSTANTIATE_TEST_SUITE_P(, Faults, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Faults, FLT_1_RefusedTransactionsOfOurOwnAreRepeated) {
  for (const auto code : {Errc::deadlock, Errc::serialization, Errc::busy}) {
    for (const auto& operation : operations()) {
      fresh_jobs();
      int refusals = 3;
      Watched flaky{db()};
      flaky.before_run = [&](const Statement& /*statement*/, std::span<const Argument> /*args*/) {
        if (refusals-- > 0) {
          throw Error{ErrorDetails{.code = code, .transaction_lost = true}, "refused"};
        }
      };
      EXPECT_NO_THROW(operation.run(flaky)) << operation.name << ", " << name(code);
      EXPECT_LT(refusals, 0) << operation.name;
      EXPECT_EQ(db().transaction_state(), TransactionState::none) << operation.name;
    }
  }
}

TEST_P(Faults, FLT_1_RefusedCommitIsRepeated) {
  const std::vector<NewJob> many(1500, job());
  int refusals = 2;
  Watched flaky{db()};
  flaky.before_commit = [&] {
    if (refusals-- > 0) throw Error{Errc::serialization, "refused at the commit"};
  };
  EXPECT_EQ(queue().enqueue(flaky, many).size(), 1500U);
  EXPECT_LT(refusals, 0);
  EXPECT_EQ(count("tq_job"), 1500);
}

TEST_P(Faults, FLT_1_RepetitionIsBounded) {
  int told = 0;
  const Queue bounded{place().dialect(),
                      {.retries = {.attempts = 4,
                                   .wait = {.base = 1ms, .cap = 2ms},
                                   .on_retry = [&](const Error& /*error*/) { ++told; }}}};
  int tries = 0;
  Watched hopeless{db()};
  hopeless.before_run = [&](const Statement& /*statement*/, std::span<const Argument> /*args*/) {
    ++tries;
    throw Error{Errc::deadlock, "always"};
  };
  EXPECT_EQ(error_of([&] { bounded.enqueue(hopeless, job()); }).code(), Errc::deadlock);
  EXPECT_EQ(tries, 4);
  EXPECT_EQ(told, 3);
  EXPECT_EQ(count("tq_job"), 0);
}

TEST_P(Faults, FLT_1_WhatMayHaveHappenedIsNotRepeated) {
  const std::vector<NewJob> many(1500, job());
  int commits = 0;
  for (const auto code : {Errc::connection_lost, Errc::busy}) {
    Watched lossy{db()};
    lossy.after_commit = [&] {
      ++commits;
      throw Error{ErrorDetails{.code = code, .outcome_unknown = true}, "no answer"};
    };
    const auto error = error_of([&] { queue().enqueue(lossy, many); });
    EXPECT_TRUE(error.outcome_unknown());
  }
  EXPECT_EQ(commits, 2);
  EXPECT_EQ(count("tq_job"), 3000);
}

TEST_P(Faults, FLT_1_GRP_1_DuplicateOnAGroupsRunningJobMakesTheClaimTryAgain) {
  auto grouped = job();
  grouped.group_key = "g";
  add(grouped);
  int refusals = 2;
  Watched flaky{db()};
  flaky.before_run = [&](const Statement& statement, std::span<const Argument> /*args*/) {
    if (statement.name() != "claim_pick") return;
    if (refusals-- > 0) throw Error{Errc::duplicate, "another job of the group runs"};
  };
  EXPECT_EQ(queue().claim(flaky, {.queue = "q", .worker = "w"}).size(), 1U);
}

TEST_P(Faults, FLT_1_NothingIsRepeatedOnABorrowedConnection) {
  for (const auto code : {Errc::deadlock, Errc::serialization, Errc::busy, Errc::duplicate}) {
    for (const auto& operation : operations()) {
      fresh_jobs();
      const auto borrowed = app().borrow();
      app().execute(texts().begin);
      int tries = 0;
      Watched hopeless{*borrowed};
      hopeless.before_run = [&](const Statement& /*statement*/, std::span<const Argument> /*a*/) {
        ++tries;
        throw Error{ErrorDetails{.code = code, .transaction_lost = true}, "refused"};
      };
      const auto error = error_of([&] { operation.run(hopeless); });
      EXPECT_EQ(error.code(), code) << operation.name;
      EXPECT_TRUE(error.transaction_lost()) << operation.name;
      EXPECT_EQ(tries, 1) << operation.name;
      EXPECT_EQ(hopeless.begins + hopeless.commits + hopeless.rollbacks, 0) << operation.name;
      app().execute(texts().rollback);
    }
  }
}

TEST_P(Faults, FLT_1_RealLockTimeOutIsRecognisedAndRepeated) {
  if (texts().short_lock_wait.empty()) return weaker("FLT-1", waits_without_end);
  const auto& endless = server().limits.session;  // No time-out of ours: it waits for the lock.
  const auto id = add();
  const auto other = place().raw();
  other->execute(texts().begin);
  lock_row(*other, id);
  const auto connection = place().open({.lock_wait = 50ms});
  std::atomic<int> repeated = 0;
  const Queue patient{place().dialect(),
                      {.retries = {.attempts = 1000, .on_retry = [&](const Error& e) {
                                     EXPECT_EQ(e.code(), Errc::busy) << e.what();
                                     ++repeated;
                                   }}}};
  Cancelled outcome{};
  std::jthread asker{[&] { outcome = patient.cancel(*connection, std::vector{id}).at(0); }};
  const bool timed_out =
      eventually([&] { return repeated >= 2; }, endless.empty() ? Duration{20s} : Duration{500ms});
  EXPECT_EQ(timed_out, endless.empty());
  other->execute(texts().rollback);
  asker.join();
  EXPECT_EQ(outcome, Cancelled::cancelled);
  if (!endless.empty()) weaker("FLT-1", endless);
}

// Whether nobody holds the row's lock.
bool free_for(RawConnection& probe, const Texts& texts, const std::function<void()>& lock) {
  probe.execute(texts.begin);
  probe.execute(texts.short_lock_wait);
  bool locked = true;
  try {
    lock();
  } catch (const RawError&) {
    locked = false;
  }
  probe.execute(texts.rollback);
  return locked;
}

TEST_P(Faults, FLT_1_RealDeadlockWithTheApplicationIsSurvived) {
  // Without a time-out there is no asking whether a row is locked yet.
  if (texts().short_lock_wait.empty()) return weaker("FLT-1", waits_without_end);
  if (!facts().concurrent_writers) {
    weaker("FLT-1",
           "one writer at a time: two transactions cannot lock each other out, so there "
           "is no deadlock to survive; busy stands in its place");
  }
  const auto jobs = add(2);
  std::atomic<int> deadlocks = 0;
  const Queue counting{place().dialect(), {.retries = {.on_retry = [&](const Error& error) {
                                             deadlocks += error.code() == Errc::deadlock ? 1 : 0;
                                           }}}};
  app().execute(texts().begin);
  // Where the engine ends the transaction that has changed less, that is ours.
  for (int i = 0; i < 10; ++i) insert_row(app(), "weight");
  lock_row(app(), jobs[1]);
  const auto connection = place().open();
  std::vector<Cancelled> outcomes;
  std::jthread ours{[&] { outcomes = counting.cancel(*connection, jobs); }};
  const auto probe = place().raw();
  ASSERT_TRUE(
      eventually([&] { return !free_for(*probe, texts(), [&] { lock_row(*probe, jobs[0]); }); }));
  std::this_thread::sleep_for(100ms);
  // Ours holds the first and waits for the second. It waited first, so elsewhere too it gives way.
  lock_row(app(), jobs[0]);
  app().execute(texts().commit);
  ours.join();
  EXPECT_EQ(outcomes, (std::vector{Cancelled::cancelled, Cancelled::cancelled}));
  EXPECT_EQ(deadlocks > 0, texts().mutual_wait == Errc::deadlock);
}

TEST_P(Faults, FLT_1_RefusedRowsAreToldApartFromRefusedTransactions) {
  const auto table = place().table("tq_job");
  const auto id = add();
  const auto duplicate = error_of([&] {
    db().execute("INSERT INTO " + table + " (job_id, queue, kind, payload) VALUES (" +
                 texts().id(id) + ", 'q', 'k', '{}')");
  });
  EXPECT_EQ(duplicate.code(), Errc::duplicate) << duplicate.what();
  EXPECT_FALSE(duplicate.retryable());
  const auto check = error_of([&] {
    db().execute("INSERT INTO " + table +
                 " (queue, kind, payload, max_attempts) VALUES ('q', 'k', '{}', 0)");
  });
  EXPECT_EQ(check.code(), Errc::constraint) << check.what();
  EXPECT_FALSE(check.retryable());
  const auto missing = error_of([&] { db().execute("DELETE FROM " + place().table("nothing")); });
  EXPECT_NE(missing.code(), Errc::constraint);
  EXPECT_FALSE(missing.retryable());
}

TEST_P(Faults, FLT_1_CLM_1_ManyProcessesWriteAtOnceWithoutAnErrorReachingTheCaller) {
  constexpr int processes = 6;
  constexpr int threads = 3;
  constexpr int jobs = 15;
  std::vector<Child> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(start_child(server(), place(), "produce",
                                   {"q", std::to_string(threads), std::to_string(jobs)}));
  }
  std::size_t completed = 0;
  EXPECT_TRUE(eventually([&] {
    for (const auto& held : claim(20)) {
      completed += queue().complete(db(), held.lease()) == Finish::done ? 1 : 0;
    }
    return completed == std::size_t{processes} * threads * jobs;
  }));
  for (auto& child : children) EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), processes * threads * jobs);
}

TEST_P(Faults, FLT_1_CLM_1_ENQ_2_DrainersProducersAndDuplicatesLiveSideBySide) {
  const auto fresh = make_place(server());
  install_schema(*fresh->open(), fresh->dialect());
  expect_mixed_load_survived(server(), *fresh, {.jobs = 1'000, .produced = 100, .collisions = 60});
}

}  // namespace
}  // namespace tq::conformance
