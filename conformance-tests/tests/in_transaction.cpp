// FIN-7: in-transaction mode, where the handler's changes and the completion commit together.
#include <mutex>
#include <thread>

#include "child.hpp"
#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class InTransactionMode : public PairTest {
 protected:
  [[nodiscard]] ClaimRequest request() const { return {.queue = "q", .worker = "w"}; }
  [[nodiscard]] std::size_t succeeded(Connection& connection) const {
    const auto stats = queue().stats(connection, "q");
    return stats.empty() ? 0 : static_cast<std::size_t>(stats[0].succeeded);
  }
  void insert_by(Connection& connection, const std::string& note) const {
    connection.execute("INSERT INTO " + place().table("tqc_row") + " (note) VALUES ('" + note +
                       "')");
  }
};
INSTANTIATE_TEST_SUITE_P(, InTransactionMode, ::testing::ValuesIn(servers()), instance_name);

TEST_P(InTransactionMode, FIN_7_HandlerAndCompletionCommitTogether) {
  const auto id = add();
  const auto result =
      queue().run_in_transaction(db(), request(), [&](const Job& job, Connection& connection) {
        EXPECT_EQ(job.job_id, id);
        EXPECT_EQ(connection.transaction_state(), TransactionState::open);
        insert_by(connection, "effect");
        EXPECT_EQ(app_rows(), 0);
        EXPECT_EQ(queue().find(*place().open(), id.text()).at(0).state, State::ready);
      });
  EXPECT_EQ(result, InTransaction::completed);
  EXPECT_EQ(app_rows(), 1);
  EXPECT_EQ(state(id), State::succeeded);
  EXPECT_EQ(row(id).attempts, 1);
  EXPECT_EQ(db().transaction_state(), TransactionState::none);
}

TEST_P(InTransactionMode, FIN_7_WithoutAJobTheHandlerIsNotCalled) {
  const auto result = queue().run_in_transaction(
      db(), request(), [](const Job& /*job*/, Connection& /*connection*/) {
        ADD_FAILURE() << "called without a job";
      });
  EXPECT_EQ(result, InTransaction::none);
  EXPECT_EQ(db().transaction_state(), TransactionState::none);
}

TEST_P(InTransactionMode, FIN_7_ThrowingHandlerIsUndoneAndItsFailureRecorded) {
  const auto id = add();
  const auto result =
      queue().run_in_transaction(db(), request(), [&](const Job& /*job*/, Connection& connection) {
        insert_by(connection, "half done");
        throw std::runtime_error{"no paper"};
      });
  EXPECT_EQ(result, InTransaction::failed);
  EXPECT_EQ(app_rows(), 0);
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.last_error, "no paper");
  EXPECT_GT(stored.run_at, queue().now(db()));
  EXPECT_EQ(queue().failures(db(), id).size(), 1U);
  EXPECT_EQ(db().transaction_state(), TransactionState::none);
}

TEST_P(InTransactionMode, FIN_7_FIN_6_LastFailureMakesItDead) {
  auto once = job();
  once.max_attempts = 1;
  const auto id = add(once);
  EXPECT_EQ(queue().run_in_transaction(db(), request(),
                                       [](const Job& /*job*/, Connection& /*connection*/) {
                                         throw std::runtime_error{"no"};
                                       }),
            InTransaction::failed);
  EXPECT_EQ(state(id), State::dead);
}

TEST_P(InTransactionMode, FIN_7_FailedStatementInTheHandlerIsAFailureOfTheJob) {
  const auto id = add();
  const auto result =
      queue().run_in_transaction(db(), request(), [&](const Job& /*job*/, Connection& connection) {
        insert_by(connection, "half done");
        connection.execute("INSERT INTO " + place().table("tqc_nowhere") + " (note) VALUES (1)");
      });
  EXPECT_EQ(result, InTransaction::failed);
  EXPECT_EQ(app_rows(), 0);
  EXPECT_EQ(state(id), State::ready);
  EXPECT_EQ(row(id).attempts, 1);
  EXPECT_EQ(queue().failures(db(), id).size(), 1U);
}

TEST_P(InTransactionMode, FIN_7_LostSavepointIsRecordedInANewTransaction) {
  const auto id = add();
  const auto result =
      queue().run_in_transaction(db(), request(), [&](const Job& /*job*/, Connection& connection) {
        insert_by(connection, "gone with it");
        connection.execute(texts().rollback);
        throw std::runtime_error{"the transaction went away"};
      });
  EXPECT_EQ(result, InTransaction::failed);
  EXPECT_EQ(app_rows(), 0);
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_EQ(stored.attempts, 1);
  EXPECT_EQ(stored.last_error, "the transaction went away");
  EXPECT_EQ(queue().failures(db(), id).size(), 1U);
}

TEST_P(InTransactionMode, FIN_7_LostSavepointDoesNotChargeAJobThatAnotherClaimed) {
  const auto id = add();
  std::optional<Job> taken;
  (void)queue().run_in_transaction(
      db(), request(), [&](const Job& /*job*/, Connection& connection) {
        connection.execute(texts().rollback);
        const auto other = place().open();
        taken = queue().claim(*other, {.queue = "q", .worker = "w"}).at(0);
        throw std::runtime_error{"too late"};
      });
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->generation, 1);
  EXPECT_TRUE(queue().failures(db(), id).empty());
  EXPECT_EQ(queue().complete(db(), taken->lease()), Finish::done);
}

TEST_P(InTransactionMode, FIN_7_DyingWorkerLeavesTheJobReadyAndUnspent) {
  const auto id = add();
  EXPECT_EQ(start_child(server(), place(), "die_in_transaction", {"q"}).wait(), died_on_purpose);
  // The server notices the loss of a connection in its own time.
  std::vector<Job> again;
  EXPECT_TRUE(eventually([&] {
    again = claim(1);
    return !again.empty();
  }));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].job_id, id);
  EXPECT_EQ(again[0].generation, 1);
  EXPECT_EQ(app_rows(), 0);
  EXPECT_TRUE(queue().failures(db(), id).empty());
}

TEST_P(InTransactionMode, FIN_7_GRP_1_GRP_2_GroupsKeepTheirOrder) {
  constexpr std::size_t groups = 4;
  constexpr std::size_t each = 8;
  std::map<std::string, std::vector<JobId>> expected;
  for (std::size_t i = 0; i < groups * each; ++i) {
    auto grouped = job();
    grouped.group_key = "g" + std::to_string(i % groups);
    expected[*grouped.group_key].push_back(add(grouped));
  }
  std::mutex mutex;
  std::map<std::string, std::vector<JobId>> ran;
  std::map<std::string, int> running;
  at_once(4, [&](std::size_t w) {
    const auto connection = place().open();
    EXPECT_TRUE(eventually([&] {
      (void)queue().run_in_transaction(
          *connection, {.queue = "q", .worker = "w" + std::to_string(w)},
          [&](const Job& job, Connection& /*connection*/) {
            {
              const std::lock_guard lock{mutex};
              EXPECT_EQ(++running[*job.group_key], 1) << "two of " << *job.group_key;
              ran[*job.group_key].push_back(job.job_id);
            }
            std::this_thread::sleep_for(1ms);
            const std::lock_guard lock{mutex};
            --running[*job.group_key];
          });
      return succeeded(*connection) == groups * each;
    }));
  });
  EXPECT_EQ(ran, expected);
}

TEST_P(InTransactionMode, FIN_7_GRP_3_GroupsGoOnWhileAHandlerRuns) {
  auto grouped = job();
  grouped.group_key = "g";
  add(grouped);
  const auto head = claim_one();
  const auto follower = add(grouped);
  const auto plain = add();
  const auto result = queue().run_in_transaction(
      db(), request(), [&](const Job& running, Connection& /*connection*/) {
        EXPECT_EQ(running.job_id, plain);
        const auto other = place().open({.lock_wait = 50ms});
        const std::vector batch{Acknowledgement{.lease = head.lease()}};
        if (facts().concurrent_writers) {
          EXPECT_EQ(impatient().finish(*other, batch), std::vector{Finish::done});
        } else {
          EXPECT_EQ(error_of([&] { (void)impatient().finish(*other, batch); }).code(), Errc::busy);
        }
      });
  EXPECT_EQ(result, InTransaction::completed);
  if (!facts().concurrent_writers) {
    ASSERT_EQ(queue().complete(db(), head.lease()), Finish::done);
  }
  EXPECT_EQ(ids(claim(10)), std::vector{follower});
}

TEST_P(InTransactionMode, FIN_7_BorrowedConnectionIsRefused) {
  add();
  const auto borrowed = app().borrow();
  const auto error = error_of([&] {
    (void)queue().run_in_transaction(*borrowed, request(),
                                     [](const Job& /*job*/, Connection& /*connection*/) {});
  });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace tq::conformance
