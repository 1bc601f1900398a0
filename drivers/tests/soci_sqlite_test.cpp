// The driver against SQLite, which needs no server: values, transactions, what is left behind.
#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>
#include <thread>

#include "tq/error.hpp"
#include "tq/soci.hpp"
#include "tq/statement.hpp"

namespace tq::soci_driver {
namespace {

using namespace std::chrono_literals;

const Transaction immediate{.begin = "BEGIN IMMEDIATE"};

Statement query(std::string text, std::vector<Field> columns, std::vector<Field> parameters = {}) {
  return {"query", std::move(text), std::move(parameters), std::move(columns)};
}

Statement change(std::string text, std::vector<Field> parameters = {}) {
  return {"change", std::move(text), std::move(parameters), {}};
}

class SociSqlite : public testing::Test {
 protected:
  SociSqlite() {
    std::string pattern = testing::TempDir() + "tq-soci-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/q.db";
  }
  ~SociSqlite() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::unique_ptr<SociConnection> open(const std::string& parameters = "") const {
    return SociConnection::open("sqlite+soci:///" + path_ + parameters);
  }

  static std::string text_of(Connection& connection, const std::string& sql) {
    return text(connection.run(query(sql, {{"value", Type::text}}), {})[0][0]);
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

TEST_F(SociSqlite, TellsItsVersion) {
  EXPECT_TRUE(SociConnection::client_version().starts_with("SOCI 4."));
}

TEST_F(SociSqlite, OpensInWalModeAndFullySynchronous) {
  const auto connection = open();
  EXPECT_EQ(text_of(*connection, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(text_of(*connection, "PRAGMA synchronous"), "2");
}

TEST_F(SociSqlite, LeavesTheJournalModeOfAFileThatIsThere) {
  open("?journal_mode=delete")->execute("CREATE TABLE t (n INTEGER)");
  EXPECT_EQ(text_of(*open(), "PRAGMA journal_mode"), "delete");
  EXPECT_EQ(text_of(*open("?journal_mode=wal"), "PRAGMA journal_mode"), "wal");
}

TEST_F(SociSqlite, MakesNoFileUnlessToldTo) {
  for (const auto* mode : {"?mode=rw", "?mode=ro"}) {
    const auto error = error_of([&] { (void)open(mode); });
    EXPECT_EQ(error.code(), Errc::connection_lost);
    EXPECT_FALSE(std::filesystem::exists(path_)) << mode;
  }
  open()->execute("CREATE TABLE t (n INTEGER)");
  open("?mode=rw")->execute("INSERT INTO t VALUES (1)");
  const auto reader = open("?mode=ro");
  EXPECT_EQ(count(*reader), 1);
  EXPECT_EQ(error_of([&] { reader->execute("DELETE FROM t"); }).code(), Errc::read_only);
}

TEST_F(SociSqlite, GivesValuesBackAsTheyWere) {
  const auto connection = open();
  const auto echo =
      query("SELECT :n, :word, :none", {{"n", Type::int64}, {"word"}, {"none", Type::int64}},
            {{"n", Type::int64}, {"word"}, {"none", Type::int64}});
  std::string large(1 << 20, 'x');
  large += "'\"\\\\u0000 :p1 \xF0\x9F\x98\x80 ?";
  for (const auto& word : {std::string{}, std::string{"a:b"}, large}) {
    for (const auto n : {INT64_MIN, std::int64_t{0}, INT64_MAX}) {
      const auto rows =
          connection->run(echo, std::vector<Argument>{n, std::string_view{word}, std::monostate{}});
      EXPECT_EQ(integer(rows[0][0]), n);
      EXPECT_EQ(text(rows[0][1]), word);
      EXPECT_TRUE(null(rows[0][2]));
    }
  }
  const auto nothing = std::vector<Argument>{std::monostate{}, std::monostate{}, std::int64_t{7}};
  const auto rows = connection->run(echo, nothing);
  EXPECT_TRUE(null(rows[0][0]));
  EXPECT_TRUE(null(rows[0][1]));
  EXPECT_EQ(integer(rows[0][2]), 7);
}

TEST_F(SociSqlite, TakesTextForNoInteger) {
  const auto connection = open();
  for (const auto* value : {"'12a'", "''", "1.5", "9223372036854775808"}) {
    const auto error = error_of([&] {
      (void)connection->run(query(std::string{"SELECT "} + value, {{"n", Type::int64}}), {});
    });
    EXPECT_EQ(error.code(), Errc::failed) << value;
  }
  connection->execute("CREATE TABLE t (n INTEGER)");  // nothing holds the file
}

TEST_F(SociSqlite, RefusesArgumentsThatWouldNotArrive) {
  const auto connection = open();
  const auto echo = query("SELECT :word", {{"word"}}, {{"word"}});
  using Arguments = std::vector<Argument>;
  for (const auto& arguments :
       {Arguments{}, Arguments{std::int64_t{1}}, Arguments{std::string_view{"a\0b", 3}}}) {
    EXPECT_EQ(error_of([&] { (void)connection->run(echo, arguments); }).code(),
              Errc::invalid_argument);
  }
}

TEST_F(SociSqlite, SendsTextAsItIs) {
  const auto connection = open();
  connection->execute(
      "CREATE TABLE t (word TEXT); -- :comment\n"
      "INSERT INTO t VALUES (':p1'); INSERT INTO t VALUES ('it''s :x');");
  EXPECT_EQ(text_of(*connection, "SELECT group_concat(word, '|:y') FROM t"), ":p1|:yit's :x");
}

TEST_F(SociSqlite, RunsToItsEndWhatHasNoDeclaredColumns) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER)");
  connection->begin(immediate);
  EXPECT_TRUE(connection->run(change("INSERT INTO t VALUES (1), (2) RETURNING n"), {}).empty());
  EXPECT_TRUE(connection->run(change("SELECT n FROM t"), {}).empty());
  connection->commit();
  EXPECT_EQ(count(*open()), 2);
}

TEST_F(SociSqlite, RefusesAnAnswerThatLacksColumns) {
  const auto connection = open();
  const auto error = error_of([&] {
    (void)connection->run(query("SELECT 1", {{"a", Type::int64}, {"b", Type::int64}}), {});
  });
  EXPECT_EQ(error.code(), Errc::failed);
}

TEST_F(SociSqlite, GoesOnAfterAStatementThatFailed) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER PRIMARY KEY, word TEXT)");
  const auto insert =
      change("INSERT INTO t VALUES (:n, :word)", {{"n", Type::int64}, {"word", Type::text}});
  const auto run = [&](std::int64_t n, const Argument& word) {
    (void)connection->run(insert, std::vector<Argument>{n, word});
  };
  run(1, std::string_view{"first"});
  const auto error = error_of([&] { run(1, std::string_view{"the secret payload"}); });
  EXPECT_EQ(error.code(), Errc::duplicate);
  EXPECT_EQ(error.statement(), "change");
  EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
  run(2, std::monostate{});
  EXPECT_EQ(text_of(*connection, "SELECT count(*) - count(word) FROM t"), "1");
}

TEST_F(SociSqlite, ReportsASyntaxErrorWithoutQuotingTheStatement) {
  const auto connection = open();
  const auto error =
      error_of([&] { (void)connection->run(change("SELEKT :word", {{"word"}}), {{"secret"}}); });
  EXPECT_EQ(error.code(), Errc::failed);
  EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
}

TEST_F(SociSqlite, KnowsItsTransaction) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER)");
  EXPECT_EQ(connection->transaction_state(), TransactionState::none);
  connection->rollback();
  connection->begin({});
  EXPECT_EQ(connection->transaction_state(), TransactionState::open);
  connection->execute("INSERT INTO t VALUES (1)");
  connection->rollback();
  EXPECT_EQ(connection->transaction_state(), TransactionState::none);
  EXPECT_EQ(count(*connection), 0);
  EXPECT_TRUE(connection->usable());
}

TEST_F(SociSqlite, ABusyFileIsBusyAndItsTransactionStays) {
  const auto first = open();
  first->execute("CREATE TABLE t (n INTEGER)");
  const auto second = open("?busy_timeout=20");
  first->begin(immediate);
  const auto error = error_of([&] { second->begin(immediate); });
  EXPECT_EQ(error.code(), Errc::busy);
  EXPECT_FALSE(error.transaction_lost());
  first->execute("INSERT INTO t VALUES (1)");
  first->commit();
  second->begin(immediate);
  second->rollback();
}

TEST_F(SociSqlite, CanBeCancelledInAStatementAndInAWait) {
  const auto connection = open();
  connection->execute("CREATE TABLE t (n INTEGER)");
  const auto endless =
      query("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
            {{"n", Type::int64}});
  const auto other = open();
  other->begin(immediate);
  for (const auto& work : std::vector<std::function<void()>>{
           [&] { (void)connection->run(endless, {}); },
           [&] { connection->begin(immediate); },  // waits for five seconds else
       }) {
    std::jthread cancelling{[&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        connection->cancel();
        std::this_thread::sleep_for(1ms);
      }
    }};
    EXPECT_EQ(error_of(work).code(), Errc::cancelled);
  }
  EXPECT_EQ(count(*connection), 0);
}

TEST_F(SociSqlite, BorrowsASessionAndItsTransaction) {
  soci::session session{soci::sqlite3, path_};
  session << "CREATE TABLE t (n INTEGER)";
  SociConnection borrowed{session};
  EXPECT_TRUE(borrowed.borrowed());
  EXPECT_EQ(borrowed.wake_up(), nullptr);
  {
    soci::transaction transaction{session};
    EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
    (void)borrowed.run(change("INSERT INTO t VALUES (:n)", {{"n", Type::int64}}),
                       {{Argument{std::int64_t{1}}}});
    EXPECT_EQ(count(borrowed), 1);
  }
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  EXPECT_EQ(count(borrowed), 0);
  int n = 7;
  session << "SELECT :n", soci::use(n), soci::into(n);
  EXPECT_EQ(n, 7);
}

TEST_F(SociSqlite, TakesNoSessionThatIsClosed) {
  soci::session session{soci::sqlite3, path_};
  SociConnection borrowed{session};
  session.close();
  EXPECT_EQ(error_of([&] { borrowed.execute("SELECT 1"); }).code(), Errc::connection_lost);
  EXPECT_FALSE(borrowed.usable());
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::unknown);
  EXPECT_EQ(error_of([&] { const SociConnection none{session}; }).code(), Errc::connection_lost);
}

}  // namespace
}  // namespace tq::soci_driver
