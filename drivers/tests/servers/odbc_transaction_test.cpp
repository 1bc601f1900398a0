// Whose transaction it is, what is left of it, and what a borrowed connection keeps.
#include <future>
#include <optional>

#include "odbc_fixture.hpp"

namespace tq::odbc {
namespace {

// Begun and ended by the client's own calls.
const Transaction own_call{.begin = ""};

class OdbcTransaction : public OdbcServer {};
INSTANTIATE_TEST_SUITE_P(, OdbcTransaction, testing::ValuesIn(urls()), name_of);

class OdbcPostgresql : public OdbcServer {
 protected:
  static void fail(Connection& connection) {
    EXPECT_EQ(error_of([&] { connection.execute("SELECT 1 / 0"); }).sqlstate(), "22012");
  }
};
INSTANTIATE_TEST_SUITE_P(, OdbcPostgresql, testing::ValuesIn(urls_of("postgresql")), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OdbcPostgresql);

class OdbcMysql : public OdbcServer {};
INSTANTIATE_TEST_SUITE_P(, OdbcMysql, testing::ValuesIn(urls_of("mysql")), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OdbcMysql);

TEST_P(OdbcTransaction, CommitsAndRollsBackByTextAndByTheClientsOwnCall) {
  std::int64_t n = 0;
  for (const auto& how : {transaction(), own_call}) {
    const auto db = open();
    EXPECT_EQ(db->transaction_state(), TransactionState::none);
    db->begin(how);
    insert(*db, ++n);
    EXPECT_EQ(db->transaction_state(), TransactionState::open);
    EXPECT_EQ(rows(), n - 1);
    db->commit();
    EXPECT_EQ(db->transaction_state(), TransactionState::none);
    EXPECT_EQ(rows(), n);
    db->begin(how);
    insert(*db, 99);
    db->rollback();
    EXPECT_EQ(db->transaction_state(), TransactionState::none);
    EXPECT_EQ(rows(), n);
    db->rollback();    // harmless
    insert(*db, ++n);  // on its own again
    EXPECT_EQ(rows(), n);
  }
}

TEST_P(OdbcTransaction, ADestroyedConnectionRollsBack) {
  for (const auto& how : {transaction(), own_call}) {
    const auto db = open();
    db->begin(how);
    insert(*db, 1);
  }
  insert(*open(), 1);
  EXPECT_EQ(rows(), 1);
}

TEST_P(OdbcTransaction, SavepointsGoUnpreparedAndTextThatEndsOrBeginsOneIsNoticed) {
  const auto db = open();
  const auto how = transaction();
  db->begin(how);
  insert(*db, 1);
  db->execute(how.savepoint);
  insert(*db, 2);
  db->execute(how.rollback_to);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->execute("COMMIT");
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  db->execute(how.begin);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->rollback();
  EXPECT_EQ(rows(), 1);
}

TEST_P(OdbcTransaction, TranslatesWhatIsRefused) {
  const auto db = open();
  insert(*db, 1);
  const auto code = [&](const std::string& sql) {
    return error_of([&] { db->run(change(sql), {}); }).code();
  };
  EXPECT_EQ(error_of([&] { insert(*db, 1); }).code(), Errc::duplicate);
  EXPECT_EQ(error_of([&] { insert(*db, -100); }).code(), Errc::constraint);
  EXPECT_EQ(code("INSERT INTO " + table() + " (n) VALUES (NULL)"), Errc::constraint);
  EXPECT_EQ(code("SELECT * FROM tq_not_there"), Errc::schema_missing);
  EXPECT_EQ(code("SELEKT 1"), Errc::failed);
  const auto error = error_of([&] { insert(*db, 1); });
  EXPECT_EQ(error.statement(), "change");
  EXPECT_EQ(std::string{error.what()}.find('['), std::string::npos) << error.what();
  insert(*db, 2);  // the connection is as good as before
  EXPECT_TRUE(db->usable());
}

TEST_P(OdbcTransaction, OnABorrowedConnectionItIsTheApplications) {
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  EXPECT_TRUE(borrowed.borrowed());
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  application.run("BEGIN");
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  insert(borrowed, 1);
  EXPECT_EQ(rows(), 0);
  application.run("COMMIT");
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(), 1);
  application.set_autocommit(false);
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  insert(borrowed, 2);
  application.end(SQL_ROLLBACK);
  EXPECT_EQ(rows(), 1);
  insert(borrowed, 3);
  application.end(SQL_COMMIT);
  application.set_autocommit(true);
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
}

TEST_P(OdbcTransaction, AClosedBorrowedConnectionIsLost) {
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  SQLDisconnect(application.connection());
  EXPECT_EQ(error_of([&] { insert(borrowed, 1); }).code(), Errc::connection_lost);
}

TEST_P(OdbcPostgresql, AFailedStatementFailsTheTransactionAndItsCommit) {
  for (const auto& how : {transaction(), own_call}) {
    const auto db = open();
    db->begin(how);
    insert(*db, 1);
    fail(*db);
    EXPECT_EQ(db->transaction_state(), TransactionState::failed);
    const auto error = error_of([&] { insert(*db, 2); });
    EXPECT_EQ(error.sqlstate(), "25P02");
    EXPECT_TRUE(error.transaction_lost());
    EXPECT_TRUE(error_of([&] { db->commit(); }).transaction_lost());
    EXPECT_EQ(db->transaction_state(), TransactionState::none);
    EXPECT_EQ(rows(), 0);
    db->begin(how);
    db->commit();
  }
}

TEST_P(OdbcPostgresql, ASavepointMendsIt) {
  const auto db = open();
  const auto how = transaction();
  db->begin(how);
  insert(*db, 1);
  db->execute(how.savepoint);
  fail(*db);
  db->execute(how.rollback_to);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->commit();
  EXPECT_EQ(rows(), 1);
}

// With psqlodbc's own default, Protocol=7.4-2, a failed statement is undone by a savepoint of its
// own, and the transaction goes on.
TEST_P(OdbcPostgresql, OnABorrowedConnectionPsqlodbcMayUndoTheStatementAlone) {
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  application.run("BEGIN");
  insert(borrowed, 1);
  const auto error = error_of([&] { insert(borrowed, 1); });
  EXPECT_EQ(error.code(), Errc::duplicate);
  EXPECT_FALSE(error.transaction_lost());
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  insert(borrowed, 2);
  application.run("COMMIT");
  EXPECT_EQ(rows(), 2);
}

// With Protocol=7.4-1 psqlodbc rolls everything back after an error, and neither it nor the server
// says so afterwards: a promise that cannot be given there.
TEST_P(OdbcPostgresql, OnABorrowedConnectionPsqlodbcMayUndoEverythingUnseen) {
  const auto application = this->application("Protocol=7.4-1");
  OdbcConnection borrowed{application.connection()};
  application.run("BEGIN");
  insert(borrowed, 1);
  EXPECT_FALSE(error_of([&] { insert(borrowed, 1); }).transaction_lost());
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(), 0);
}

TEST_P(OdbcPostgresql, ABorrowedConnectionKeepsNoPreparedStatement) {
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  insert(borrowed, 1);
  EXPECT_THROW(insert(borrowed, 1), Error);
  EXPECT_EQ(text_of(borrowed,
                    "SELECT string_agg(statement, ' ') || '' FROM (SELECT statement FROM "
                    "pg_prepared_statements UNION ALL SELECT '') AS s"
                    " WHERE statement NOT LIKE '%string_agg%'"),
            "");
}

TEST_P(OdbcPostgresql, ABorrowedConnectionOfAnotherEncodingIsRefused) {
  const auto application = this->application("ConnSettings={SET client_encoding TO 'LATIN1'}");
  OdbcConnection borrowed{application.connection()};
  const auto error = error_of([&] { insert(borrowed, 1); });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_NE(std::string{error.what()}.find("LATIN1"), std::string::npos) << error.what();
}

TEST_P(OdbcPostgresql, StatementsOfOurOwnConnectionArePreparedOnTheServerOnce) {
  const auto db = open();
  const auto count = query("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE :like",
                           {{"count", Type::int64}}, {{"like", Type::text}});
  const std::vector<Argument> pattern{std::string_view{"%pg_prepared_statements%"}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(integer(db->run(count, pattern)[0][0]), 1);
}

TEST_P(OdbcPostgresql, AChangedTableIsASerializationFailureAndThenPreparedAnew) {
  const auto db = open();
  insert(*db, 1);
  const auto all = query("SELECT * FROM " + table(), {{"n", Type::int64}});
  EXPECT_EQ(integer(db->run(all, {})[0][0]), 1);
  open()->execute("ALTER TABLE " + table() + " ADD COLUMN more bigint");
  const auto error = error_of([&] { (void)db->run(all, {}); });
  EXPECT_EQ(error.code(), Errc::serialization) << error.what();
  EXPECT_TRUE(error.retryable());
  EXPECT_EQ(integer(db->run(all, {})[0][0]), 1);
}

TEST_P(OdbcMysql, ADeadlockLosesItAndACommitThenSaysSo) {
  const auto first = open();
  const auto second = open();
  insert(*first, 1);
  insert(*first, 2);
  first->begin(transaction());
  second->begin(transaction());
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
  EXPECT_EQ(victim.transaction_state(), TransactionState::none);
  EXPECT_TRUE(error_of([&] { victim.commit(); }).transaction_lost());
  first->rollback();
  second->rollback();
  victim.begin(transaction());
  lock(victim, 1);
  victim.commit();
}

TEST_P(OdbcMysql, ALockTimeoutEndsTheStatementOnly) {
  const auto holder = open();
  insert(*holder, 1);
  holder->begin(transaction());
  lock(*holder, 1);
  const auto db = OdbcConnection::open(url(), {"SET SESSION innodb_lock_wait_timeout = 1"});
  db->begin(transaction());
  insert(*db, 2);
  const auto error = error_of([&] { lock(*db, 1); });
  EXPECT_EQ(error.code(), Errc::busy) << error.what();
  EXPECT_FALSE(error.transaction_lost());
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->commit();
  EXPECT_EQ(rows(), 2);
}

TEST_P(OdbcMysql, ABorrowedConnectionOfAnotherCharacterSetIsRefused) {
  const auto application = this->application();
  application.run("SET character_set_results = latin1");
  OdbcConnection borrowed{application.connection()};
  const auto error = error_of([&] { insert(borrowed, 1); });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_NE(std::string{error.what()}.find("latin1"), std::string::npos) << error.what();
}

// An administrator's default, as a logon trigger may set one.
TEST_P(OdbcMysql, ASessionIsJudgedBehindTheSettingsThatItIsGiven) {
  const auto spoilt = url("INITSTMT=SET%20character_set_results%20%3D%20latin1");
  EXPECT_EQ(error_of([&] { (void)OdbcConnection::open(spoilt); }).code(), Errc::invalid_argument);
  const auto db = OdbcConnection::open(spoilt, {"SET character_set_results = utf8mb4"});
  insert(*db, 1);
  EXPECT_EQ(error_of([&] {
              (void)OdbcConnection::open(url(), {"SET character_set_results = latin1"});
            }).code(),
            Errc::invalid_argument);
}

TEST_P(OdbcMysql, MoreThanThePacketIsRefusedBeforeItIsSent) {
  const auto db = open();
  const auto most = number_of(*db, "SELECT @@max_allowed_packet");
  const std::string large(static_cast<std::size_t>(most), 'x');
  const auto length = query("SELECT LENGTH(:words)", {{"n", Type::int64}}, {{"words", Type::text}});
  const auto error =
      error_of([&] { (void)db->run(length, std::vector<Argument>{std::string_view{large}}); });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_TRUE(db->usable());
}

}  // namespace
}  // namespace tq::odbc
