// A job enqueued on the application's own sql::Connection: the order and its job commit together or
// not at all. Takes host:port, user, password; works in a database of its own, which it drops.
#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tq/mysql.hpp"
#include "tq/mysql_connector.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace {

void execute(sql::Connection& mysql, const std::string& text) {
  const std::unique_ptr<sql::Statement> statement{mysql.createStatement()};
  statement->execute(text);
}

// Runs one statement and gives its first value, if it has one.
std::string run(sql::Connection& mysql, const std::string& text,
                const std::vector<std::string>& values = {}) {
  const std::unique_ptr<sql::PreparedStatement> statement{mysql.prepareStatement(text)};
  unsigned position = 0;
  for (const auto& value : values) statement->setString(++position, value);
  if (!statement->execute()) return {};
  const std::unique_ptr<sql::ResultSet> rows{statement->getResultSet()};
  return rows->next() ? rows->getString(1).asStdString() : std::string{};
}

// The application's own transaction: rolled back unless it was committed. Statements say when they
// fail; Connector/C++'s own commit() does not.
class Transaction {
 public:
  explicit Transaction(sql::Connection& mysql) : mysql_(&mysql) {
    execute(mysql, "START TRANSACTION");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (mysql_ != nullptr) mysql_->rollback();
  }
  void commit() {
    execute(*mysql_, "COMMIT");
    mysql_ = nullptr;
  }

 private:
  sql::Connection* mysql_;
};

// [quote]
void place_order(sql::Connection& mysql, const tq::Queue& queue, const std::string& item) {
  tq::MysqlConnection db{mysql};  // borrows: it never begins, commits, rolls back or closes
  Transaction transaction{mysql};
  run(mysql, "INSERT INTO orders (item) VALUES (?)", {item});
  const auto order = run(mysql, "SELECT LAST_INSERT_ID()");
  queue.enqueue(db,
                {.queue = "billing", .kind = "charge", .payload = R"({"order":)" + order + "}"});
  run(mysql, "UPDATE stock SET pieces = pieces - 1 WHERE item = ?", {item});  // may throw
  transaction.commit();  // now workers see the job; before, and after a rollback, nobody does
}
// [/quote]

// Making tables commits by itself here, so the schema is not installed on a borrowed connection.
void install(const tq::Queue& queue, const std::string& url) {
  tq::install_schema(*tq::MysqlConnection::open(url, queue.dialect().session), queue.dialect());
}

void set_up(sql::Connection& mysql, const std::string& database) {
  execute(mysql, "USE " + database);
  execute(mysql, "CREATE TABLE orders (id BIGINT PRIMARY KEY AUTO_INCREMENT, item TEXT NOT NULL)");
  execute(mysql,
          "CREATE TABLE stock (item VARCHAR(40) PRIMARY KEY, pieces INT CHECK (pieces >= 0))");
  execute(mysql, "INSERT INTO stock VALUES ('lamp', 1)");
}

// There is one lamp: the first order is stored with its job, the second leaves nothing behind.
bool one_of_two_orders_is_stored(sql::Connection& mysql, const tq::Queue& queue) {
  place_order(mysql, queue, "lamp");
  bool refused = false;
  try {
    place_order(mysql, queue, "lamp");
  } catch (const sql::SQLException& error) {
    std::cout << "the second order was refused: " << error.what() << '\n';
    refused = true;
  }
  const auto orders = run(mysql, "SELECT COUNT(*) FROM orders");
  const auto jobs = run(mysql, "SELECT COUNT(*) FROM tq_job WHERE state = 'ready'");
  std::cout << "orders: " << orders << ", jobs: " << jobs << '\n';
  return refused && orders == "1" && jobs == "1";
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() != 3) throw std::invalid_argument{"give host:port, user and password"};
  const std::unique_ptr<sql::Connection> mysql{
      get_driver_instance()->connect("tcp://" + given[0], given[1], given[2])};
  const auto database = "tq_example_" + std::to_string(getpid());
  const tq::Queue queue{tq::mysql({.schema = database})};
  install(queue, "mysql://" + given[1] + ":" + given[2] + "@" + given[0]);
  set_up(*mysql, database);
  const bool as_promised = one_of_two_orders_is_stored(*mysql, queue);
  execute(*mysql, "DROP DATABASE " + database);
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
