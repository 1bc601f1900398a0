#include "mysql_fixture.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "processlist.hpp"

namespace tq::mysql_driver {

std::vector<std::string> server_urls() {
  const char* const variable = std::getenv("TQ_TEST_MYSQL_URL");
  std::istringstream blanks{variable == nullptr ? "" : variable};
  std::vector<std::string> urls;
  for (std::string url; blanks >> url;) urls.push_back(url);
  return urls;
}

MysqlServer::MysqlServer()
    : table_{"tq_driver_test_" + std::to_string(getpid()) + "_" +
             testing::UnitTest::GetInstance()->current_test_info()->name()} {
  for (auto& c : table_) c = c == '/' ? '_' : c;
  constexpr std::size_t longest = 50;  // of 64, since the server derives other names from it
  table_.resize(std::min(table_.size(), longest));
  open()->execute("CREATE TABLE " + table_ +
                  " (n BIGINT PRIMARY KEY CHECK (n > -100), words LONGTEXT) ENGINE=InnoDB "
                  "CHARACTER SET utf8mb4");
}

MysqlServer::~MysqlServer() {
  try {
    open()->execute("DROP TABLE IF EXISTS " + table_);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

std::unique_ptr<MysqlConnection> MysqlServer::open(const std::string& parameters) const {
  const auto separator = GetParam().find('?') == std::string::npos ? "?" : "&";
  return MysqlConnection::open(GetParam() + (parameters.empty() ? "" : separator) + parameters);
}

std::unique_ptr<MysqlConnection> MysqlServer::open_at(const std::string& place,
                                                      const std::string& parameters) const {
  const auto at = GetParam().find('@') + 1;
  const auto slash = GetParam().find('/', at);
  return MysqlConnection::open(GetParam().substr(0, at) + place + GetParam().substr(slash) + "?" +
                               parameters);
}

void MysqlServer::insert(Connection& connection, int n) const {
  connection.run(change("INSERT INTO " + table_ + " (n) VALUES (:n)", {{"n", Type::int64}}),
                 std::vector<Argument>{std::int64_t{n}});
}

std::int64_t MysqlServer::rows(Connection& connection) const {
  return number_of(connection, "SELECT COUNT(*) FROM " + table_);
}

void MysqlServer::kill(Connection& other) const {
  const auto id = id_of(other);
  const auto killer = open();
  killer->execute("KILL CONNECTION " + id);
  const auto sessions = processlist(number_of(*killer, is_mariadb) == 1);
  while (number_of(*killer, "SELECT COUNT(*) FROM " + sessions + " WHERE id = " + id) > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

std::string MysqlServer::status(Connection& connection, const std::string& name) {
  const auto rows = connection.run(query("SHOW SESSION STATUS LIKE '" + name + "'",
                                         {{"name", Type::text}, {"value", Type::text}}),
                                   {});
  return rows.empty() ? std::string{} : text(rows[0][1]);
}

}  // namespace tq::mysql_driver
