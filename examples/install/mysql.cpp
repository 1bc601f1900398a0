// with_mysql HOST:PORT USER PASSWORD: on the application's own sql::Connection, in a database of
// its own, which it drops.
#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <unistd.h>

#include <stdexcept>
#include <tq/mysql.hpp>
#include <tq/mysql_connector.hpp>
#include <vector>

#include "proof.hpp"

namespace {

class OwnMysql final : public OwnDatabase {
 public:
  explicit OwnMysql(sql::Connection& connection) : connection_(connection) {}

  std::string run(const std::string& sql) override {
    const std::unique_ptr<sql::Statement> statement{connection_.createStatement()};
    if (!statement->execute(sql)) return {};
    const std::unique_ptr<sql::ResultSet> rows{statement->getResultSet()};
    return rows->next() ? rows->getString(1).asStdString() : std::string{};
  }

 private:
  sql::Connection& connection_;
};

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() != 3) throw std::invalid_argument{"give host:port, user and password"};
  const std::unique_ptr<sql::Connection> mysql{
      get_driver_instance()->connect("tcp://" + given[0], given[1], given[2])};
  const auto database = "tq_orders_" + std::to_string(getpid());
  const auto url = "mysql://" + given[1] + ":" + given[2] + "@" + given[0] + "/" + database;
  const tq::Queue queue{tq::mysql({.schema = database})};
  OwnMysql own{*mysql};
  own.run("CREATE DATABASE " + database);
  own.run("USE " + database);
  tq::MysqlConnection borrowed{*mysql};
  const int answer = prove(
      own, borrowed, [&] { return tq::MysqlConnection::open(url, queue.dialect().session); },
      queue);
  own.run("DROP DATABASE " + database);
  return answer;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
