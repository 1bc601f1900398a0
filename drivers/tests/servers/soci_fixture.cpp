#include "soci_fixture.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "processlist.hpp"

namespace tq::soci_driver {

std::vector<std::string> server_urls() {
  std::vector<std::string> urls;
  for (const auto* name : {"TQ_TEST_POSTGRESQL_URL", "TQ_TEST_MYSQL_URL"}) {
    const char* const variable = std::getenv(name);
    std::istringstream blanks{variable == nullptr ? "" : variable};
    for (std::string url; blanks >> url;) {
      urls.push_back(url.replace(url.find("://"), 0, "+soci"));
    }
  }
  return urls;
}

SociServer::SociServer()
    : table_{"tq_driver_test_" + std::to_string(getpid()) + "_" +
             testing::UnitTest::GetInstance()->current_test_info()->name()} {
  for (auto& c : table_) c = c == '/' ? '_' : static_cast<char>(std::tolower(c));
  constexpr std::size_t longest = 50;  // of 63, since the server derives other names from it
  table_.resize(std::min(table_.size(), longest));
  open()->execute("CREATE TABLE " + table_ + " (n BIGINT PRIMARY KEY CHECK (n > -100), words " +
                  (postgresql() ? "TEXT)" : "LONGTEXT) ENGINE=InnoDB CHARACTER SET utf8mb4"));
}

SociServer::~SociServer() {
  try {
    open()->execute("DROP TABLE IF EXISTS " + table_);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

mysql_driver::Relay SociServer::relay() {
  const Url url{GetParam()};
  const auto& host = url.parts().host;
  return mysql_driver::Relay{"127.0.0.1", host == "localhost" ? "127.0.0.1" : host,
                             std::stoi(url.parts().port)};
}

std::unique_ptr<SociConnection> SociServer::open_through(const mysql_driver::Relay& relay) {
  const auto at = GetParam().find('@') + 1;
  const auto slash = GetParam().find('/', at);
  return SociConnection::open(GetParam().substr(0, at) + "127.0.0.1:" +
                              std::to_string(relay.port()) + GetParam().substr(slash));
}

std::unique_ptr<soci::session> SociServer::application(const std::string& more) {
  const Url url{GetParam()};
  const auto& parts = url.parts();
  return std::make_unique<soci::session>(
      url.dialect(), "host=" + parts.host + " port=" + parts.port + " user=" + parts.user +
                         " password=" + parts.password + " dbname=" + parts.path + more);
}

void SociServer::insert(Connection& connection, std::int64_t n, const Argument& words) const {
  (void)connection.run(change("INSERT INTO " + table_ + " (n, words) VALUES (:n, :words)",
                              {{"n", Type::int64}, {"words", Type::text}}),
                       std::vector<Argument>{n, words});
}

Value SociServer::words(Connection& connection, std::int64_t n) const {
  const auto found = connection.run(query("SELECT words FROM " + table_ + " WHERE n = :n",
                                          {{"words", Type::text}}, {{"n", Type::int64}}),
                                    std::vector<Argument>{n});
  return found.empty() ? Value{std::string{"no row"}} : found[0][0];
}

std::int64_t SociServer::rows(Connection& connection) const {
  return number_of(connection, "SELECT COUNT(*) FROM " + table_);
}

void SociServer::kill(Connection& other) {
  const auto killer = open();
  const auto id = std::to_string(
      number_of(other, postgresql() ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()"));
  if (postgresql()) {
    (void)number_of(*killer, "SELECT CAST(pg_terminate_backend(" + id + ") AS integer)");
  } else {
    killer->execute("KILL CONNECTION " + id);
  }
  const auto left = postgresql() ? "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = " + id
                                 : "SELECT COUNT(*) FROM " +
                                       processlist(number_of(*killer, is_mariadb) == 1) +
                                       " WHERE id = " + id;
  while (number_of(*killer, left) > 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

}  // namespace tq::soci_driver
