// Dead connections, lost answers, servers that hang, cancelled statements, threads, and TLS.
#include <future>

#include "mysql_fixture.hpp"
#include "processlist.hpp"
#include "relay.hpp"

namespace tq::mysql_driver {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class MysqlFaults : public MysqlServer {
 protected:
  // A connection through a relay, whose answers may then be lost.
  std::unique_ptr<MysqlConnection> open_through(const Relay& relay,
                                                const std::string& parameters = {}) const {
    return open_at("127.0.0.1:" + std::to_string(relay.port()), parameters);
  }
  static Relay relay(const std::string& host = "127.0.0.1") {
    return Relay{host, target().host == "localhost" ? "127.0.0.1" : target().host, target().port};
  }
  // Waits until the connection `id` is in a state that is LIKE this.
  void wait_for_state(const std::string& id, const std::string& like) const {
    const auto looking = open();
    const auto states =
        query("SELECT COUNT(*) FROM " + processlist(number_of(*looking, is_mariadb) == 1) +
                  " WHERE id = :id AND state LIKE :state",
              {{"n", Type::int64}}, {{"id"}, {"state"}});
    const std::vector<Argument> arguments{std::string_view{id}, std::string_view{like}};
    const auto give_up = Clock::now() + 20s;
    while (integer(looking->run(states, arguments)[0][0]) == 0) {
      if (Clock::now() > give_up) FAIL() << "connection " << id << " is never in " << like;
      std::this_thread::sleep_for(1ms);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, MysqlFaults, testing::ValuesIn(server_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MysqlFaults);

TEST_P(MysqlFaults, AKilledConnectionIsLostAndNotUsable) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  kill(*db);
  EXPECT_TRUE(db->usable());  // nobody has told it yet
  const auto error = error_of([&] { insert(*db, 2); });
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_TRUE(error.transaction_lost());
  EXPECT_FALSE(error.outcome_unknown());
  EXPECT_FALSE(db->usable());
  EXPECT_EQ(error_of([&] { insert(*db, 2); }).code(), Errc::connection_lost);
  EXPECT_EQ(error_of([&] { db->begin({}); }).code(), Errc::connection_lost);
  db->rollback();
  EXPECT_EQ(rows(*open()), 0);
}

TEST_P(MysqlFaults, AConnectionKilledInAStatementIsLost) {
  const auto db = open();
  const auto id = id_of(*db);
  auto failing = std::async(std::launch::async,
                            [&] { return error_of([&] { db->execute("SELECT SLEEP(30)"); }); });
  wait_for_state(id, "User sleep");
  open()->execute("KILL CONNECTION " + id);
  EXPECT_EQ(failing.get().code(), Errc::connection_lost);
  EXPECT_FALSE(db->usable());
}

TEST_P(MysqlFaults, ACommitToADeadConnectionHasAnUnknownOutcome) {
  const auto db = open();
  db->begin({});
  insert(*db, 1);
  kill(*db);
  const auto error = error_of([&] { db->commit(); });
  EXPECT_EQ(error.code(), Errc::connection_lost);
  EXPECT_TRUE(error.outcome_unknown());
  EXPECT_FALSE(error_of([&] { db->commit(); }).outcome_unknown());  // that one was never sent
}

TEST_P(MysqlFaults, ACommitWhoseAnswerIsLostHasAnUnknownOutcomeAndMayHaveHappened) {
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

TEST_P(MysqlFaults, AServerThatDoesNotAnswerIsGivenUp) {
  for (const auto* tls : {"ssl-mode=disabled", "ssl-mode=required"}) {
    auto network = relay();
    const auto db = open_through(network, std::string{"read-timeout=1&"} + tls);
    network.go_silent();
    const auto began = Clock::now();
    EXPECT_EQ(error_of([&] { db->execute("DO 1"); }).code(), Errc::connection_lost) << tls;
    EXPECT_FALSE(db->usable());
    EXPECT_LT(Clock::now() - began, 4s) << tls;
  }
}

TEST_P(MysqlFaults, AServerThatDoesNotGreetIsGivenUp) {
  auto network = relay();
  network.go_silent();
  const auto began = Clock::now();
  EXPECT_EQ(error_of([&] { (void)open_through(network, "connect-timeout=1"); }).code(),
            Errc::connection_lost);
  EXPECT_LT(Clock::now() - began, 4s);
}

TEST_P(MysqlFaults, CancelEndsTheStatementAndKeepsTheTransaction) {
  const auto db = open();
  insert(*db, 1);
  const auto holder = open();
  holder->begin({});
  holder->execute("UPDATE " + table() + " SET words = 'x' WHERE n = 1");
  db->begin({});
  insert(*db, 2);
  const auto id = id_of(*db);
  auto failing = std::async(std::launch::async, [&] {
    return error_of([&] { db->execute("UPDATE " + table() + " SET words = 'y' WHERE n = 1"); });
  });
  wait_for_state(id, "%pdat%");  // "updating"
  const auto began = Clock::now();
  db->cancel();
  const auto error = failing.get();
  EXPECT_LT(Clock::now() - began, 2s);
  EXPECT_EQ(error.code(), Errc::cancelled) << error.what();
  EXPECT_FALSE(error.retryable());
  EXPECT_TRUE(db->usable());
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  db->commit();
  holder->rollback();
  EXPECT_EQ(rows(*db), 2);
}

TEST_P(MysqlFaults, CancelWithoutAStatementIsHarmless) {
  const auto db = open();
  db->cancel();
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
  kill(*db);
  db->cancel();
  const auto application = this->application();
  MysqlConnection{*application}.cancel();
}

TEST_P(MysqlFaults, ThreadsNeedToKnowNothing) {
  constexpr int many = 8;
  std::vector<std::jthread> threads;
  threads.reserve(many);
  for (int i = 0; i < many; ++i) {
    threads.emplace_back([this, i] {
      for (int n = 0; n < 5; ++n) {
        const auto db = open("ssl-mode=disabled");
        insert(*db, i * 10 + n);
      }
    });
  }
  threads.clear();
  auto elsewhere = open();
  std::jthread{[&] { elsewhere.reset(); }}.join();
  EXPECT_EQ(rows(*open()), 40);
}

TEST_P(MysqlFaults, TlsIsUsedAsTheUrlSays) {
  EXPECT_EQ(status(*open("ssl-mode=disabled"), "Ssl_cipher"), "");
  EXPECT_NE(status(*open("ssl-mode=required"), "Ssl_cipher"), "");
  EXPECT_NE(status(*open("ssl-mode=preferred"), "Ssl_cipher"), "");
  EXPECT_NE(status(*open(), "Ssl_cipher"), "");
}

TEST_P(MysqlFaults, AServerWhoseAuthorityIsNotKnownIsRefused) {
  const auto error = error_of([&] { (void)open("ssl-mode=verify-identity"); });
  EXPECT_EQ(error.code(), Errc::connection_lost);
  EXPECT_NE(std::string{error.what()}.find("ssl-ca"), std::string::npos) << error.what();
}

TEST_P(MysqlFaults, ListensOnIpv6Too) {
  auto network = relay("::1");
  const auto db = open_at("[::1]:" + std::to_string(network.port()));
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
}

TEST_P(MysqlFaults, AWrongPasswordIsNotSaid) {
  const auto target = MysqlServer::target();
  const auto url = "mysql://" + target.user + ":not%20the%20one@" + target.host + ":" +
                   std::to_string(target.port) + "/" + target.database;
  for (const auto* tls : {"?ssl-mode=disabled", "?ssl-mode=required"}) {
    const auto error = error_of([&] { (void)MysqlConnection::open(url + tls); });
    EXPECT_EQ(error.code(), Errc::connection_lost);
    EXPECT_EQ(error.vendor_code(), 1045);
    EXPECT_EQ(std::string{error.what()}.find("not the one"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tq::mysql_driver
