// Dead connections, lost answers, servers that hang, cancelled statements, batches, and what does
// not let one in.
#include <future>
#include <thread>

#include "odbc_fixture.hpp"
#include "relay.hpp"
#include "servers/url.hpp"

namespace tq::odbc {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using mysql_driver::Relay;

std::vector<std::string> all_servers() {
  auto all = urls();
  std::erase_if(all, [](const std::string& url) { return url.starts_with("sqlite"); });
  return all;
}

class OdbcFaults : public OdbcServer {
 protected:
  // A connection through a relay, whose answers may then be lost.
  std::unique_ptr<OdbcConnection> open_through(const Relay& relay,
                                               const std::string& parameters = {}) const {
    return open_at(relay.port(), parameters);
  }
  static Relay relay() {
    const auto parts = servers::read_url(GetParam(), {.name = "test", .wanted = ""});
    return Relay{"127.0.0.1", parts.host, std::stoi(parts.port)};
  }
};
INSTANTIATE_TEST_SUITE_P(, OdbcFaults, testing::ValuesIn(all_servers()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OdbcFaults);

class OdbcCancel : public OdbcServer {};
INSTANTIATE_TEST_SUITE_P(, OdbcCancel, testing::ValuesIn(urls()), name_of);

const std::vector<Transaction> both_ways{{.begin = "BEGIN"}, {.begin = ""}};

TEST_P(OdbcFaults, AKilledConnectionIsLostAndNotUsable) {
  const auto db = open();
  db->begin(transaction());
  insert(*db, 1);
  kill(*db);
  const auto error = error_of([&] { insert(*db, 2); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_FALSE(error.outcome_unknown());
  EXPECT_FALSE(db->usable());
  EXPECT_EQ(error_of([&] { insert(*db, 2); }).code(), Errc::connection_lost);
  EXPECT_EQ(error_of([&] { db->begin(transaction()); }).code(), Errc::connection_lost);
  db->rollback();
  EXPECT_EQ(rows(), 0);
}

TEST_P(OdbcFaults, AKilledBorrowedConnectionIsLostToo) {
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  insert(borrowed, 1);
  kill(borrowed);
  EXPECT_EQ(error_of([&] { insert(borrowed, 2); }).code(), Errc::connection_lost);
  EXPECT_FALSE(borrowed.usable());
}

TEST_P(OdbcFaults, ACommitToADeadConnectionHasAnUnknownOutcome) {
  for (const auto& how : both_ways) {
    SCOPED_TRACE(how.begin);
    const auto db = open();
    db->begin(how);
    insert(*db, 1);
    kill(*db);
    const auto error = error_of([&] { db->commit(); });
    EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
    EXPECT_TRUE(error.outcome_unknown());
    EXPECT_FALSE(db->usable());
    EXPECT_FALSE(error_of([&] { db->commit(); }).outcome_unknown());  // that one was never sent
    EXPECT_EQ(rows(), 0);
  }
}

TEST_P(OdbcFaults, ACommitWhoseAnswerIsLostHasAnUnknownOutcomeAndMayHaveHappened) {
  std::int64_t n = 0;
  for (const auto& how : both_ways) {
    SCOPED_TRACE(how.begin);
    auto network = relay();
    const auto db = open_through(network);
    db->begin(how);
    insert(*db, ++n);
    network.lose_next_answer();
    const auto error = error_of([&] { db->commit(); });
    EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
    EXPECT_TRUE(error.outcome_unknown());
    EXPECT_FALSE(db->usable());
    EXPECT_EQ(rows(), n);
  }
}

TEST_P(OdbcFaults, AServerThatDoesNotGreetIsGivenUp) {
  auto network = relay();
  network.go_silent();
  const auto began = Clock::now();
  const auto error = error_of([&] { (void)open_through(network, "connect_timeout=2"); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_LT(Clock::now() - began, 8s);
}

TEST_P(OdbcFaults, AWrongPasswordIsNotSaid) {
  const auto parts = servers::read_url(GetParam(), {.name = "test", .wanted = ""});
  const auto error = error_of([&] {
    (void)OdbcConnection::open(parts.scheme + "://" + parts.user + ":not%20the%3Bone@" +
                               parts.host + ":" + parts.port + "/" + parts.path);
  });
  EXPECT_EQ(error.code(), Errc::connection_lost);
  EXPECT_EQ(std::string{error.what()}.find("not the"), std::string::npos) << error.what();
  EXPECT_NE(std::string{error.what()}.find(parts.user), std::string::npos) << error.what();
}

// Needs the right to make a user, as the servers of engines.sh give it.
TEST_P(OdbcFaults, APasswordMayHaveAnyCharacters) {
  const auto parts = servers::read_url(GetParam(), {.name = "test", .wanted = ""});
  const auto user = table();
  const std::string quoted = is("mysql") ? "'" + user + "'@'%'" : user;
  const auto db = open();
  db->execute(is("mysql") ? "CREATE USER " + quoted + " IDENTIFIED BY 'a;b}c {d=\"e%@'"
                          : "CREATE ROLE " + user + " LOGIN PASSWORD 'a;b}c {d=\"e%@'");
  const auto database = is("mysql") ? std::string{"information_schema"} : parts.path;
  EXPECT_NO_THROW((void)OdbcConnection::open(parts.scheme + "://" + user +
                                             ":a%3Bb%7Dc%20%7Bd%3D%22e%25%40@" + parts.host + ":" +
                                             parts.port + "/" + database));
  db->execute((is("mysql") ? "DROP USER " : "DROP ROLE ") + quoted);
}

TEST_P(OdbcFaults, AnErrorBehindTheFirstResultOfABatchCounts) {
  const auto db = open();
  if (is("mysql")) {  // takes one statement at a time
    EXPECT_EQ(error_of([&] { db->execute("SELECT 1; SELECT 2"); }).code(), Errc::failed);
  } else {
    db->execute("SELECT 1; SELECT 2");
    EXPECT_EQ(error_of([&] { db->execute("SELECT 1; SELECT 1 / 0"); }).sqlstate(), "22012");
  }
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
}

TEST_P(OdbcFaults, AnotherEngineThanTheUrlSaysIsRefused) {
  const auto parts = servers::read_url(GetParam(), {.name = "test", .wanted = ""});
  const std::string driver = is("mysql") ? "MariaDB%20Unicode" : "PostgreSQL%20Unicode";
  const auto error = error_of([&] {
    (void)OdbcConnection::open(std::string{is("mysql") ? "postgresql" : "mysql"} + "://" +
                               parts.user + ":" + parts.password + "@" + parts.host + ":" +
                               parts.port + "/" + parts.path + "?driver=" + driver);
  });
  EXPECT_EQ(error.code(), Errc::invalid_argument) << error.what();
}

TEST_P(OdbcFaults, AWholeConnectionStringWillDo) {
  const auto parts = servers::read_url(GetParam(), {.name = "test", .wanted = ""});
  const std::string driver = is("mysql") ? "MariaDB%20Unicode" : "%7BPostgreSQL%20Unicode%7D";
  const auto db =
      OdbcConnection::open(parts.scheme + "+odbc://" + parts.user + ":" + parts.password +
                           "@?odbc_connect=DRIVER%3D" + driver + "%3BServer%3D" + parts.host +
                           "%3BPort%3D" + parts.port + "%3BDatabase%3D" + parts.path);
  EXPECT_EQ(number_of(*db, "SELECT COUNT(*) FROM " + table()), 0);
}

// A lock that another connection holds.
TEST_P(OdbcCancel, EndsTheStatementAndKeepsTheTransaction) {
  const auto db = open("connect_timeout=9");
  insert(*db, 1);
  const auto holder = open();
  holder->begin(transaction());
  lock(*holder, 1);
  const bool one_writer = is("sqlite");
  std::string id;
  if (!one_writer) {
    db->begin(transaction());
    insert(*db, 2);
    id = id_of(*db);
  }
  auto failing = std::async(std::launch::async, [&] { return error_of([&] { lock(*db, 1); }); });
  wait_until_it_waits(id);
  const auto began = Clock::now();
  db->cancel();
  const auto error = failing.get();
  EXPECT_LT(Clock::now() - began, 2s);
  EXPECT_EQ(error.code(), Errc::cancelled) << error.what();
  EXPECT_FALSE(error.retryable());
  EXPECT_TRUE(db->usable());
  holder->rollback();
  if (!one_writer) {
    const bool fails = is("postgresql");
    EXPECT_EQ(db->transaction_state(), fails ? TransactionState::failed : TransactionState::open);
    db->rollback();
  }
  lock(*db, 1);  // it was that statement alone
}

TEST_P(OdbcCancel, EndsAStatementThatIsBusy) {
  const auto db = open();
  const std::string long_one =
      is("mysql")    ? "SELECT SLEEP(30), n FROM " + table()
      : is("sqlite") ? "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < "
                       "1000000000) SELECT COUNT(*) FROM c"
                     : "SELECT pg_sleep(30)";
  insert(*db, 1);
  const auto id = is("sqlite") ? std::string{} : id_of(*db);
  auto failing = std::async(std::launch::async,
                            [&] { return error_of([&] { db->execute(long_one + " "); }); });
  wait_until_it_waits(id);
  const auto began = Clock::now();
  db->cancel();
  EXPECT_EQ(failing.get().code(), Errc::cancelled);
  EXPECT_LT(Clock::now() - began, 2s);
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
}

TEST_P(OdbcCancel, WithoutAStatementIsHarmlessAndTouchesNoOther) {
  const auto db = open();
  db->cancel();
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
  const auto application = this->application();
  OdbcConnection borrowed{application.connection()};
  borrowed.cancel();
  EXPECT_EQ(number_of(borrowed, "SELECT 1"), 1);
}

// Over and over, so that it meets a statement at every point.
TEST_P(OdbcCancel, AtAnyTimeIsAnswerOrCancelled) {
  const auto db = open();
  std::jthread canceller{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      db->cancel();
      std::this_thread::sleep_for(1ms);
    }
  }};
  for (int n = 1; n <= 300; ++n) {
    try {
      insert(*db, n);
      (void)number_of(*db, "SELECT COUNT(*) FROM " + table());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Errc::cancelled) << error.what();
    }
  }
  canceller = {};
  EXPECT_TRUE(db->usable());
  EXPECT_EQ(number_of(*db, "SELECT COUNT(*) FROM " + table()), rows());
}

// One connection that waits for a lock must not hold up the calls of another.
TEST_P(OdbcCancel, ConnectionsOfOneProcessDoNotWaitForEachOther) {
  const auto holder = open();
  insert(*holder, 1);
  holder->begin(transaction());
  lock(*holder, 1);
  const auto waiting = open();
  const auto id = is("sqlite") ? std::string{} : id_of(*waiting);
  auto locked = std::async(std::launch::async, [&] { lock(*waiting, 1); });
  wait_until_it_waits(id);
  EXPECT_EQ(number_of(*holder, "SELECT COUNT(*) FROM " + table()), 1);
  EXPECT_EQ(rows(), 1);
  holder->commit();
  locked.get();
}

}  // namespace
}  // namespace tq::odbc
