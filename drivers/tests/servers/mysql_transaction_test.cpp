// Whose transaction it is, what is left of it, and what a borrowed connection keeps.
#include <cppconn/exception.h>

#include <future>

#include "mysql_fixture.hpp"

namespace tq::mysql_driver {
namespace {

class MysqlTransaction : public MysqlServer {
 protected:
  void lock(Connection& connection, int n) const {
    connection.execute("UPDATE " + table() +
                       " SET words = 'locked' WHERE n = " + std::to_string(n));
  }
  static void application_runs(sql::Connection& application, const std::string& text) {
    run_text(application, text);
  }
};
INSTANTIATE_TEST_SUITE_P(, MysqlTransaction, testing::ValuesIn(server_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MysqlTransaction);

TEST_P(MysqlTransaction, OpensWithUtf8mb4AndAutocommitAndRunsTheSession) {
  const auto connection = MysqlConnection::open(GetParam(), {"SET @answer = 42", "SET @other = 1"});
  EXPECT_EQ(text_of(*connection, "SELECT @@character_set_client"), "utf8mb4");
  EXPECT_EQ(text_of(*connection, "SELECT @@character_set_results"), "utf8mb4");
  EXPECT_EQ(number_of(*connection, "SELECT @@autocommit"), 1);
  EXPECT_EQ(number_of(*connection, "SELECT @answer"), 42);
  EXPECT_FALSE(connection->borrowed());
  EXPECT_TRUE(connection->usable());
}

TEST_P(MysqlTransaction, CommitsAndRollsBack) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  EXPECT_EQ(rows(*open()), 0);
  db->commit();
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*open()), 1);
  db->begin({.begin = "BEGIN"});
  insert(*db, 2);
  db->rollback();
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*open()), 1);
  db->rollback();  // harmless
}

TEST_P(MysqlTransaction, SavepointsGoUnprepared) {
  const auto db = open();
  const Transaction transaction;
  db->begin(transaction);
  insert(*db, 1);
  db->execute(transaction.savepoint);
  insert(*db, 2);
  db->execute(transaction.rollback_to);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->commit();
  EXPECT_EQ(rows(*db), 1);
}

TEST_P(MysqlTransaction, TextThatEndsOrBeginsOneIsNoticed) {
  const auto db = open();
  db->begin({});
  db->execute("COMMIT");
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  db->execute("START TRANSACTION READ ONLY");
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->execute("ALTER TABLE " + table() + " ADD COLUMN more INT");  // commits by itself
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
}

TEST_P(MysqlTransaction, ADeadlockLosesItAndACommitThenSaysSo) {
  const auto first = open();
  const auto second = open();
  insert(*first, 1);
  insert(*first, 2);
  first->begin({});
  second->begin({});
  lock(*first, 1);
  lock(*second, 2);
  const auto attempt = [&](Connection& connection, int n) -> std::optional<Error> {
    try {
      lock(connection, n);
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  };
  auto other = std::async(std::launch::async, [&] { return attempt(*first, 2); });
  const auto mine = attempt(*second, 1);
  const auto theirs = other.get();
  ASSERT_NE(mine.has_value(), theirs.has_value());
  const auto error = mine ? *mine : *theirs;
  auto& victim = mine ? *second : *first;
  EXPECT_EQ(error.code(), Errc::deadlock);
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_TRUE(error.retryable());
  EXPECT_EQ(victim.transaction_state(), TransactionState::none);
  EXPECT_EQ(ask_transaction(*application()), TransactionState::none);
  EXPECT_TRUE(error_of([&] { victim.commit(); }).transaction_lost());
  victim.rollback();
  first->rollback();
  second->rollback();
  victim.begin({});
  lock(victim, 1);
  victim.commit();
}

TEST_P(MysqlTransaction, ALockTimeoutEndsTheStatementOnly) {
  const auto holder = open();
  insert(*holder, 1);
  holder->begin({});
  lock(*holder, 1);
  const auto db = MysqlConnection::open(GetParam(), {"SET SESSION innodb_lock_wait_timeout = 1"});
  db->begin({});
  insert(*db, 2);
  for (const auto* how : {"", " NOWAIT"}) {
    const auto error = error_of(
        [&] { db->execute("SELECT n FROM " + table() + " WHERE n = 1 FOR UPDATE" + how); });
    EXPECT_EQ(error.code(), Errc::busy) << error.what();
    EXPECT_FALSE(error.transaction_lost());
    EXPECT_EQ(db->transaction_state(), TransactionState::open);
  }
  db->commit();
  EXPECT_EQ(rows(*db), 2);
}

TEST_P(MysqlTransaction, TranslatesWhatTheServerRefuses) {
  const auto db = open();
  insert(*db, 1);
  const auto code = [&](const std::string& sql) {
    return error_of([&] { db->run(change(sql), {}); }).code();
  };
  EXPECT_EQ(error_of([&] { insert(*db, 1); }).code(), Errc::duplicate);
  EXPECT_EQ(error_of([&] { insert(*db, -100); }).code(), Errc::constraint);
  EXPECT_EQ(code("INSERT INTO " + table() + " (n) VALUES (NULL)"), Errc::constraint);
  EXPECT_EQ(code("INSERT INTO " + table() + " (n) VALUES ('x')"), Errc::constraint);
  EXPECT_EQ(code("INSERT INTO " + table() + "_no (n) VALUES (1)"), Errc::schema_missing);
  EXPECT_EQ(code("INSERT INTO " + table() + " (no) VALUES (1)"), Errc::schema_missing);
  EXPECT_EQ(code("SELEKT 1"), Errc::failed);
  db->execute("START TRANSACTION READ ONLY");
  EXPECT_EQ(error_of([&] { insert(*db, 3); }).sqlstate(), "25006");
}

TEST_P(MysqlTransaction, OnABorrowedConnectionItIsTheApplications) {
  const auto application = this->application();
  MysqlConnection borrowed{*application};
  EXPECT_TRUE(borrowed.borrowed());
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  application_runs(*application, "BEGIN");
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  insert(borrowed, 1);
  EXPECT_EQ(rows(*open()), 0);
  application_runs(*application, "COMMIT");
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*open()), 1);
  application->setAutoCommit(false);
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  insert(borrowed, 2);
  application->rollback();
  EXPECT_EQ(rows(*open()), 1);
}

TEST_P(MysqlTransaction, ABorrowedConnectionKeepsNoPreparedStatement) {
  const auto application = this->application();
  {
    MysqlConnection borrowed{*application};
    insert(borrowed, 1);
    EXPECT_THROW(insert(borrowed, 1), Error);
  }
  MysqlConnection looking{*application};
  const auto prepared = std::stoi(status(looking, "Com_stmt_prepare"));
  EXPECT_EQ(std::stoi(status(looking, "Com_stmt_close")), prepared);
}

TEST_P(MysqlTransaction, ABorrowedConnectionOfAnotherCharacterSetIsRefused) {
  const auto application = this->application();
  MysqlConnection known{*application};
  insert(known, 1);
  for (const auto* text :
       {"SET NAMES latin1", "SET character_set_results = latin1",
        "SET character_set_results = NULL", "SET character_set_connection = latin1"}) {
    application_runs(*application, text);
    const auto error =
        error_of([&] { insert(*std::make_unique<MysqlConnection>(*application), 2); });
    EXPECT_EQ(error.code(), Errc::invalid_argument) << text;
    EXPECT_NE(std::string{error.what()}.find("SET NAMES utf8mb4"), std::string::npos);
    application_runs(*application, "SET NAMES utf8mb4");
  }
  application_runs(*application, "SET NAMES latin1");
  EXPECT_EQ(error_of([&] { insert(known, 2); }).code(), Errc::invalid_argument);
  application_runs(*application, "SET NAMES utf8mb4");
  insert(known, 2);
  EXPECT_EQ(rows(known), 2);
}

TEST_P(MysqlTransaction, ABorrowedConnectionWithAnUnreadResultIsRefused) {
  const auto application = this->application();
  insert(*open(), 1);
  MysqlConnection borrowed{*application};
  {
    const Text statement{application->createStatement()};
    statement->setResultSetType(sql::ResultSet::TYPE_FORWARD_ONLY);
    const Result unread{statement->executeQuery("SELECT n FROM " + table())};
    const auto error = error_of([&] { insert(borrowed, 2); });
    EXPECT_EQ(error.code(), Errc::invalid_argument) << error.what();
    EXPECT_TRUE(borrowed.usable());
    while (unread->next()) EXPECT_EQ(unread->getInt64(1), 1);
  }
  insert(borrowed, 2);
}

TEST_P(MysqlTransaction, AClosedBorrowedConnectionIsLost) {
  const auto application = this->application();
  MysqlConnection borrowed{*application};
  application->close();
  EXPECT_EQ(error_of([&] { insert(borrowed, 1); }).code(), Errc::connection_lost);
}

}  // namespace
}  // namespace tq::mysql_driver
