// The driver against real files: what is left behind, whose transaction it is, who waits for whom.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <thread>

#include "handles.hpp"
#include "tq/error.hpp"
#include "tq/sqlite3.hpp"
#include "tq/statement.hpp"

namespace tq::sqlite3_driver {
namespace {

using namespace std::chrono_literals;

const Transaction immediate{.begin = "BEGIN IMMEDIATE"};

Statement query(std::string text, std::vector<Field> columns) {
  return {"query", std::move(text), {}, std::move(columns)};
}

Statement change(std::string text) { return {"change", std::move(text), {}, {}}; }

// Cancels again and again, since a cancel that comes before the statement starts is forgotten.
class Cancelling {
 public:
  explicit Cancelling(Connection& connection)
      : thread_{[&connection](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            connection.cancel();
            std::this_thread::sleep_for(1ms);
          }
        }} {}

 private:
  std::jthread thread_;
};

class SqliteDriver : public testing::Test {
 protected:
  SqliteDriver() {
    std::string pattern = testing::TempDir() + "tq-sqlite3-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/q.db";
  }
  ~SqliteDriver() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<SqliteConnection> open(const std::string& parameters = "") const {
    return SqliteConnection::open("sqlite:///" + path_ + parameters);
  }

  // The application's own connection.
  Database raw() const {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    return Database{handle};
  }

  static void execute(const Database& database, const char* sql) {
    EXPECT_EQ(sqlite3_exec(database.get(), sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database.get());
  }

  static std::int64_t count(Connection& connection) {
    return integer(connection.run(query("SELECT count(*) FROM t", {{"n", Type::int64}}), {})[0][0]);
  }

  template <class Body>
  static Error error_of(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {Errc::failed, "none"};
  }

  std::string folder_;
  std::string path_;
};

std::string text_of(Connection& connection, const std::string& sql) {
  return text(connection.run(query(sql, {{"value", Type::text}}), {})[0][0]);
}

TEST_F(SqliteDriver, OpensInWalModeAndFullySynchronous) {
  const auto connection = open();
  EXPECT_EQ(text_of(*connection, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(text_of(*connection, "PRAGMA synchronous"), "2");
}

TEST_F(SqliteDriver, LeavesAReadOnlyDatabaseInItsJournalMode) {
  execute(raw(), "CREATE TABLE t (n INTEGER)");
  const auto connection = open("?mode=ro");
  EXPECT_EQ(text_of(*connection, "PRAGMA journal_mode"), "delete");
  const auto error = error_of([&] { connection->execute("INSERT INTO t VALUES (1)"); });
  EXPECT_EQ(error.code(), Errc::read_only);
}

TEST_F(SqliteDriver, LeavesAnApplicationsFileInItsJournalModeUnlessTold) {
  const auto application = raw();
  execute(application, "CREATE TABLE t (n INTEGER)");
  EXPECT_EQ(text_of(*open(), "PRAGMA journal_mode"), "delete");
  EXPECT_EQ(text_of(*open("?journal_mode=wal"), "PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteDriver, SaysThatAJournalModeCannotBeHadWhileTheFileIsInUse) {
  const auto application = raw();
  execute(application, "CREATE TABLE t (n INTEGER); BEGIN; SELECT * FROM t");
  const auto error = error_of([&] { (void)open("?busy_timeout=20&journal_mode=wal"); });
  EXPECT_EQ(error.code(), Errc::busy);
}

TEST_F(SqliteDriver, DoesNotCreateAFileInModeRw) {
  const auto error = error_of([&] { (void)open("?mode=rw"); });
  EXPECT_EQ(error.code(), Errc::connection_lost);
  EXPECT_NE(std::string{error.what()}.find(path_), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteDriver, GivesValuesAsTheyAreDeclared) {
  const auto connection = open();
  const auto rows = connection->run(query("SELECT 7, 7, 'é', '', NULL", {{"a", Type::int64},
                                                                         {"b", Type::text},
                                                                         {"c", Type::text},
                                                                         {"d", Type::text},
                                                                         {"e", Type::int64}}),
                                    {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], Value{std::int64_t{7}});
  EXPECT_EQ(rows[0][1], Value{std::string{"7"}});
  EXPECT_EQ(rows[0][2], Value{std::string{"é"}});
  EXPECT_EQ(rows[0][3], Value{std::string{}});
  EXPECT_TRUE(null(rows[0][4]));
}

TEST_F(SqliteDriver, RefusesValuesOfAnotherType) {
  const auto connection = open();
  for (const auto* sql : {"SELECT 1.5", "SELECT x'00'", "SELECT 'seven'"}) {
    const auto wanted = query(sql, {{"n", Type::int64}});
    EXPECT_EQ(error_of([&] { (void)connection->run(wanted, {}); }).code(), Errc::failed) << sql;
  }
}

TEST_F(SqliteDriver, BindsNullNumberTextAndTheEmptyText) {
  const auto connection = open();
  const Statement echo{"echo",
                       "SELECT :a, :b, :c, :d, :b",
                       {{"a"}, {"b", Type::int64}, {"c"}, {"d"}},
                       {{"a"}, {"b", Type::int64}, {"c"}, {"d"}, {"e", Type::int64}}};
  const std::vector<Argument> arguments{std::monostate{}, std::int64_t{1} << 60, "text",
                                        std::string_view{}};
  const auto rows = connection->run(echo, arguments);
  EXPECT_TRUE(null(rows[0][0]));
  EXPECT_EQ(rows[0][1], Value{std::int64_t{1} << 60});
  EXPECT_EQ(rows[0][2], Value{std::string{"text"}});
  EXPECT_EQ(rows[0][3], Value{std::string{}});
  EXPECT_EQ(rows[0][4], rows[0][1]);
}

TEST_F(SqliteDriver, HoldsNoSnapshotAfterAnErrorInAStatement) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n); INSERT INTO t VALUES (1), ('x'), (2)");
  const auto numbers = query("SELECT n FROM t", {{"n", Type::int64}});
  EXPECT_EQ(error_of([&] { (void)connection->run(numbers, {}); }).code(), Errc::failed);
  execute(raw(), "INSERT INTO t VALUES (3)");
  EXPECT_EQ(count(*connection), 4);
}

TEST_F(SqliteDriver, LeavesNothingOnABorrowedConnection) {
  const auto application = raw();
  execute(application, "CREATE TABLE t (n INTEGER NOT NULL)");
  {
    SqliteConnection borrowed{application.get()};
    EXPECT_TRUE(borrowed.borrowed());
    EXPECT_EQ(borrowed.wake_up(), nullptr);
    EXPECT_EQ(count(borrowed), 0);
    const auto refused = change("INSERT INTO t VALUES (NULL)");
    EXPECT_EQ(error_of([&] { (void)borrowed.run(refused, {}); }).code(), Errc::constraint);
    EXPECT_EQ(sqlite3_next_stmt(application.get(), nullptr), nullptr);
    EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
    execute(application, "BEGIN");
    EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
    (void)borrowed.run(change("INSERT INTO t VALUES (1)"), {});
  }
  execute(application, "ROLLBACK");
  SqliteConnection borrowed{application.get()};
  EXPECT_EQ(count(borrowed), 0);
}

TEST_F(SqliteDriver, AConstraintUndoesItsStatementAlone) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER PRIMARY KEY)");
  connection->begin(immediate);
  (void)connection->run(change("INSERT INTO t VALUES (1)"), {});
  const auto error =
      error_of([&] { (void)connection->run(change("INSERT INTO t VALUES (2), (1)"), {}); });
  EXPECT_EQ(error.code(), Errc::duplicate);
  EXPECT_FALSE(error.transaction_lost());
  connection->commit();
  EXPECT_EQ(count(*connection), 1);
}

TEST_F(SqliteDriver, TellsThatACancelledWriteHasLostTheTransaction) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER)");
  connection->begin(immediate);
  (void)connection->run(change("INSERT INTO t VALUES (1)"), {});
  const auto endless = change(
      "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT max(i) FROM n");
  const Cancelling cancelling{*connection};
  const auto error = error_of([&] { (void)connection->run(endless, {}); });
  EXPECT_EQ(error.code(), Errc::cancelled);
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_EQ(connection->transaction_state(), TransactionState::none);
}

TEST_F(SqliteDriver, CancelsTheWaitForAnotherThreadsTurn) {
  const auto writer = open();
  const auto waiting = open("?busy_timeout=60000");
  writer->execute("CREATE TABLE t (n INTEGER)");
  writer->begin(immediate);
  const auto begun = std::chrono::steady_clock::now();
  {
    const Cancelling cancelling{*waiting};
    EXPECT_EQ(error_of([&] { waiting->begin(immediate); }).code(), Errc::cancelled);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  writer->commit();
  waiting->begin(immediate);  // the turn was not lost
  waiting->commit();
}

TEST_F(SqliteDriver, ABusyCommitIsRolledBackAndMayBeRepeated) {
  execute(raw(), "CREATE TABLE t (n INTEGER)");
  const auto reader = raw();
  const auto connection = open("?journal_mode=delete&busy_timeout=20");
  connection->begin(immediate);
  (void)connection->run(change("INSERT INTO t VALUES (1)"), {});
  execute(reader, "BEGIN; SELECT * FROM t");
  const auto error = error_of([&] { connection->commit(); });
  EXPECT_EQ(error.code(), Errc::busy);
  EXPECT_TRUE(error.retryable());
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_EQ(connection->transaction_state(), TransactionState::none);
  execute(reader, "COMMIT");
  EXPECT_EQ(count(*connection), 0);
}

TEST_F(SqliteDriver, AWriterWaitsForItsTurnThenIsBusy) {
  const auto first = open();
  const auto second = open("?busy_timeout=30");
  first->execute("CREATE TABLE t (n INTEGER)");
  first->begin(immediate);
  EXPECT_EQ(error_of([&] { second->begin(immediate); }).code(), Errc::busy);
  const auto error = error_of([&] { (void)second->run(change("INSERT INTO t VALUES (2)"), {}); });
  EXPECT_EQ(error.code(), Errc::busy);
  EXPECT_EQ(count(*second), 0);
  first->commit();
  second->begin(immediate);
  second->commit();
}

TEST_F(SqliteDriver, AConnectionThatGoesAwayGivesItsTurnBack) {
  open()->begin(immediate);
  const auto next = open("?busy_timeout=0");
  next->begin(immediate);
  next->rollback();
  EXPECT_EQ(next->transaction_state(), TransactionState::none);
}

TEST_F(SqliteDriver, AFailedStatementGivesItsTurnBack) {
  const auto first = open();
  const auto second = open("?busy_timeout=0");
  first->execute("CREATE TABLE t (n INTEGER NOT NULL)");
  EXPECT_THROW((void)first->run(change("INSERT INTO t VALUES (NULL)"), {}), Error);
  const auto wrong = query("INSERT INTO t VALUES (1) RETURNING 1.5", {{"n", Type::int64}});
  EXPECT_THROW((void)first->run(wrong, {}), Error);
  (void)second->run(change("INSERT INTO t VALUES (2)"), {});
}

TEST_F(SqliteDriver, ManyThreadsWriteWithoutAnError) {
  open()->execute("CREATE TABLE t (n INTEGER)");
  constexpr int threads = 8;
  constexpr int rows = 20;
  std::vector<std::jthread> writers;
  for (int i = 0; i < threads; ++i) {
    writers.emplace_back([this] {
      const auto connection = open("?synchronous=normal");
      const auto insert = change("INSERT INTO t VALUES (1)");
      for (int n = 0; n < rows; ++n) {
        connection->begin(immediate);
        (void)connection->run(insert, {});
        connection->commit();
      }
    });
  }
  writers.clear();
  EXPECT_EQ(count(*open()), threads * rows);
}

TEST_F(SqliteDriver, CancelEndsAStatementFromAnotherThread) {
  const auto connection = open();
  const auto endless =
      query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
            {{"i", Type::int64}});
  const Cancelling cancelling{*connection};
  EXPECT_EQ(error_of([&] { (void)connection->run(endless, {}); }).code(), Errc::cancelled);
}

TEST_F(SqliteDriver, CancelEndsTheWaitForAnotherProcess) {
  const auto connection = open("?busy_timeout=60000");
  const auto application = raw();
  execute(application, "BEGIN IMMEDIATE");
  const Cancelling cancelling{*connection};
  EXPECT_EQ(error_of([&] { connection->begin(immediate); }).code(), Errc::cancelled);
}

TEST_F(SqliteDriver, WakesUpWhenAnotherConnectionCommits) {
  const auto waiting = open();
  auto* const wake_up = waiting->wake_up();
  ASSERT_NE(wake_up, nullptr);
  EXPECT_EQ(wake_up->wait(0s).size(), 1U) << "what was committed before is worth a look";
  EXPECT_TRUE(wake_up->wait(0s).empty());
  open()->execute("CREATE TABLE t (n INTEGER)");
  EXPECT_EQ(wake_up->wait(60s), std::vector<std::string>{""});
}

TEST_F(SqliteDriver, AnInterruptEndsTheNextWait) {
  const auto waiting = open();
  auto* const wake_up = waiting->wake_up();
  (void)wake_up->wait(0s);
  wake_up->interrupt();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(wake_up->wait(600s).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 300s);
}

}  // namespace
}  // namespace tq::sqlite3_driver
