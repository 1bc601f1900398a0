// Whose transaction it is, what is left of it after an error, dead connections and lost answers.
#include <set>
#include <thread>

#include "soci_fixture.hpp"

namespace tq::soci_driver {
namespace {

using namespace std::chrono_literals;

class SociFaults : public SociServer {};
INSTANTIATE_TEST_SUITE_P(, SociFaults, testing::ValuesIn(server_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SociFaults);

TEST_P(SociFaults, AKilledConnectionIsLostAndNotUsable) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  kill(*db);
  const auto error = error_of([&] { insert(*db, 2); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_FALSE(error.outcome_unknown());
  EXPECT_FALSE(db->usable());
  EXPECT_EQ(error_of([&] { db->begin({}); }).code(), Errc::connection_lost);
  db->rollback();
  EXPECT_EQ(rows(*open()), 0);
}

TEST_P(SociFaults, ACommitToADeadConnectionHasAnUnknownOutcome) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  kill(*db);
  const auto error = error_of([&] { db->commit(); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_TRUE(error.outcome_unknown());
  EXPECT_FALSE(error_of([&] { db->commit(); }).outcome_unknown());  // that one was never sent
}

TEST_P(SociFaults, ACommitWhoseAnswerIsLostHasAnUnknownOutcomeAndMayHaveHappened) {
  auto network = relay();
  const auto db = open_through(network);
  db->begin({});
  insert(*db, 1);
  network.lose_next_answer();
  const auto error = error_of([&] { db->commit(); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_TRUE(error.outcome_unknown());
  EXPECT_FALSE(db->usable());
  EXPECT_EQ(rows(*open()), 1);
}

TEST_P(SociFaults, AnErrorInATransactionLeavesItAsTheServerDoes) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  const auto error = error_of([&] { insert(*db, 1); });
  EXPECT_EQ(error.code(), Errc::duplicate);
  EXPECT_FALSE(error.transaction_lost());
  if (postgresql()) {
    EXPECT_EQ(db->transaction_state(), TransactionState::failed);
    EXPECT_EQ(error_of([&] { insert(*db, 2); }).sqlstate(), "25P02");
    EXPECT_TRUE(error_of([&] { db->commit(); }).transaction_lost());
  } else {
    EXPECT_EQ(db->transaction_state(), TransactionState::open);
    db->commit();
  }
  db->rollback();
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*db), postgresql() ? 0 : 1);
}

TEST_P(SociFaults, ALockTimeoutIsBusyAndADeadlockLosesTheTransaction) {
  const auto wait = [&](int n) {
    return "UPDATE " + table() + " SET words = 'x' WHERE n = " + std::to_string(n);
  };
  const auto first = open();
  insert(*first, 1);
  insert(*first, 2);
  const auto second =
      open({postgresql() ? "SET lock_timeout = 50" : "SET SESSION innodb_lock_wait_timeout = 1"});
  first->begin({});
  first->execute(wait(1));
  second->begin({});
  second->execute(wait(2));
  const auto busy = error_of([&] { second->execute(wait(1)); });
  EXPECT_EQ(busy.code(), Errc::busy) << busy.what();
  EXPECT_FALSE(busy.transaction_lost());
  second->rollback();

  const auto third = open();
  third->begin({});
  third->execute(wait(2));
  const auto attempt = [&](Connection& connection, int n) {
    try {
      connection.execute(wait(n));
      return std::string{"fine"};
    } catch (const Error& error) {
      EXPECT_TRUE(error.transaction_lost());
      EXPECT_THROW(connection.commit(), Error);
      connection.rollback();
      EXPECT_EQ(connection.transaction_state(), TransactionState::none);
      return std::string{name(error.code())};
    }
  };
  std::string other;
  std::jthread waiting{[&] { other = attempt(*first, 2); }};
  const auto mine = attempt(*third, 1);
  waiting.join();
  EXPECT_EQ((std::set<std::string>{mine, other}), (std::set<std::string>{"deadlock", "fine"}));
}

TEST_P(SociFaults, WhatIsRunAfterADeadlockIsNotInATransaction) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  db->rollback();
  insert(*db, 2);
  EXPECT_EQ(rows(*open()), 1);
}

TEST_P(SociFaults, TextThatEndsOrBeginsATransactionIsNoticed) {
  const auto db = open();
  db->begin({});
  db->execute("COMMIT");
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  db->execute("START TRANSACTION READ ONLY");
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  EXPECT_EQ(error_of([&] { insert(*db, 1); }).code(), Errc::read_only);
}

TEST_P(SociFaults, OnABorrowedSessionTheTransactionIsTheApplications) {
  const auto session = application(postgresql() ? "" : " charset=utf8mb4");
  SociConnection borrowed{*session};
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  {
    soci::transaction transaction{*session};
    EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
    insert(borrowed, 1);
    EXPECT_EQ(rows(*open()), 0);
    transaction.commit();
  }
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*open()), 1);
  EXPECT_EQ(error_of([&] { insert(borrowed, 1); }).code(), Errc::duplicate);
  int n = 0;
  *session << "SELECT COUNT(*) FROM " + table(), soci::into(n);
  EXPECT_EQ(n, 1);
}

TEST_P(SociFaults, OnABorrowedSessionNothingIsLeftPrepared) {
  const auto session = application(postgresql() ? "" : " charset=utf8mb4");
  SociConnection borrowed{*session};
  insert(borrowed, 1);
  EXPECT_THROW(insert(borrowed, 1), Error);
  if (!postgresql()) return;  // nothing is ever prepared on the server
  EXPECT_EQ(number_of(borrowed, "SELECT COUNT(*) FROM pg_prepared_statements"), 0);
  EXPECT_GT(number_of(*open(), "SELECT COUNT(*) FROM pg_prepared_statements"), 0);
}

TEST_P(SociFaults, PreparesAnewWhatTheServerHasForgotten) {
  if (!postgresql()) return;  // nothing is ever prepared on the server
  const auto db = open();
  const auto number = query("SELECT COUNT(*) FROM " + table(), {{"n", Type::int64}});
  (void)db->run(number, {});
  db->execute("DEALLOCATE ALL");
  const auto error = error_of([&] { (void)db->run(number, {}); });
  EXPECT_EQ(error.code(), Errc::serialization) << error.what();
  EXPECT_EQ(integer(db->run(number, {})[0][0]), 0);
}

TEST_P(SociFaults, SingleRowsAreRefused) {
  if (!postgresql()) return;  // they are an option of that backend
  const auto session = application(" singlerows=true");
  SociConnection borrowed{*session};
  EXPECT_EQ(error_of([&] { insert(borrowed, 1); }).code(), Errc::invalid_argument);
}

TEST_P(SociFaults, CancelEndsAStatementAndKeepsTheConnection) {
  const auto holder = open();
  insert(*holder, 1);
  holder->begin({});
  holder->execute("UPDATE " + table() + " SET words = 'x'");
  const auto db = open();
  Error error{Errc::failed, "none"};
  {
    std::jthread cancelling{[&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(20ms);
        db->cancel();
      }
    }};
    error = error_of([&] { db->execute("UPDATE " + table() + " SET words = 'y'"); });
  }
  EXPECT_EQ(error.code(), Errc::cancelled) << error.what();
  EXPECT_TRUE(db->usable());
  holder->rollback();
}

}  // namespace
}  // namespace tq::soci_driver
