// A job enqueued on the application's own ODBC connection: the order and its job commit together or
// not at all. Takes a dialect (postgresql or mysql) and a connection string; works in a schema of
// its own, which it drops.
#include <sql.h>
#include <sqlext.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tq/mysql.hpp"
#include "tq/odbc.hpp"
#include "tq/postgresql.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace {

template <SQLSMALLINT kind>
struct Free {
  void operator()(SQLHANDLE handle) const {
    if (kind == SQL_HANDLE_DBC) SQLDisconnect(handle);
    SQLFreeHandle(kind, handle);
  }
};
template <SQLSMALLINT kind>
using Handle = std::unique_ptr<void, Free<kind>>;

void check(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  std::array<SQLCHAR, SQL_SQLSTATE_SIZE + 1> state{};
  std::array<SQLCHAR, 1000> text{};
  SQLGetDiagRec(kind, handle, 1, state.data(), nullptr, text.data(), text.size(), nullptr);
  throw std::runtime_error{reinterpret_cast<const char*>(text.data())};
}

template <SQLSMALLINT kind>
Handle<kind> allocate(SQLSMALLINT parent_kind, SQLHANDLE parent) {
  SQLHANDLE handle = nullptr;
  check(SQLAllocHandle(kind, parent, &handle), parent_kind, parent);
  return Handle<kind>{handle};
}

SQLCHAR* characters(std::string& text) { return reinterpret_cast<SQLCHAR*>(text.data()); }

// Runs one statement and gives its first value, if it has one.
std::string run(SQLHDBC odbc, std::string sql, std::vector<std::string> values = {}) {
  const auto statement = allocate<SQL_HANDLE_STMT>(SQL_HANDLE_DBC, odbc);
  SQLUSMALLINT position = 0;
  for (auto& value : values) {
    check(SQLBindParameter(statement.get(), ++position, SQL_PARAM_INPUT, SQL_C_CHAR, SQL_VARCHAR,
                           value.size(), 0, value.data(), 0, nullptr),
          SQL_HANDLE_STMT, statement.get());
  }
  check(SQLExecDirect(statement.get(), characters(sql), SQL_NTS), SQL_HANDLE_STMT, statement.get());
  SQLSMALLINT columns = 0;
  SQLNumResultCols(statement.get(), &columns);
  if (columns == 0 || SQLFetch(statement.get()) != SQL_SUCCESS) return {};
  std::array<char, 100> value{};
  check(SQLGetData(statement.get(), 1, SQL_C_CHAR, value.data(), value.size(), nullptr),
        SQL_HANDLE_STMT, statement.get());
  return value.data();
}

// The application's own transaction: rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(SQLHDBC odbc) : odbc_(odbc) { set_autocommit(SQL_AUTOCOMMIT_OFF); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    SQLEndTran(SQL_HANDLE_DBC, odbc_, SQL_ROLLBACK);
    set_autocommit(SQL_AUTOCOMMIT_ON);
  }
  void commit() { check(SQLEndTran(SQL_HANDLE_DBC, odbc_, SQL_COMMIT), SQL_HANDLE_DBC, odbc_); }

 private:
  void set_autocommit(SQLULEN mode) {
    SQLSetConnectAttr(odbc_, SQL_ATTR_AUTOCOMMIT, reinterpret_cast<SQLPOINTER>(mode), 0);
  }
  SQLHDBC odbc_;
};

struct Order {
  std::string id;
  std::string item;
};

// [quote]
void place_order(SQLHDBC odbc, const tq::Queue& queue, const Order& order) {
  tq::OdbcConnection db{odbc};  // borrows: it never begins, commits, rolls back or closes
  Transaction transaction{odbc};
  run(odbc, "INSERT INTO orders (id, item) VALUES (?, ?)", {order.id, order.item});
  queue.enqueue(db,
                {.queue = "billing", .kind = "charge", .payload = R"({"order":)" + order.id + "}"});
  run(odbc, "UPDATE stock SET pieces = pieces - 1 WHERE item = ?", {order.item});  // may throw
  transaction.commit();  // now workers see the job; before, and after a rollback, nobody does
}
// [/quote]

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
  }
  return encoded;
}

void set_up(SQLHDBC odbc, const tq::Queue& queue, const std::string& url,
            const std::string& schema) {
  tq::install_schema(*tq::OdbcConnection::open(url, queue.dialect().session), queue.dialect());
  const bool mysql = queue.dialect().name == "mysql";
  run(odbc, (mysql ? "USE " : "SET search_path TO ") + schema);
  run(odbc, "CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, item VARCHAR(40) NOT NULL)");
  run(odbc, "CREATE TABLE stock (item VARCHAR(40) PRIMARY KEY, pieces INT CHECK (pieces >= 0))");
  run(odbc, "INSERT INTO stock VALUES ('lamp', 1)");
}

// There is one lamp: the first order is stored with its job, the second leaves nothing behind.
bool one_of_two_orders_is_stored(SQLHDBC odbc, const tq::Queue& queue) {
  place_order(odbc, queue, {.id = "1", .item = "lamp"});
  bool refused = false;
  try {
    place_order(odbc, queue, {.id = "2", .item = "lamp"});
  } catch (const std::runtime_error& error) {
    std::cout << "the second order was refused: " << error.what() << '\n';
    refused = true;
  }
  const auto orders = run(odbc, "SELECT COUNT(*) FROM orders");
  const auto jobs = run(odbc, "SELECT COUNT(*) FROM tq_job WHERE state = 'ready'");
  std::cout << "orders: " << orders << ", jobs: " << jobs << '\n';
  return refused && orders == "1" && jobs == "1";
}

}  // namespace

int main(int count, char** arguments) try {
  std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() != 2) throw std::invalid_argument{"give a dialect and a connection string"};
  const auto environment = allocate<SQL_HANDLE_ENV>(SQL_HANDLE_ENV, SQL_NULL_HANDLE);
  SQLSetEnvAttr(environment.get(), SQL_ATTR_ODBC_VERSION,
                reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
  const auto odbc = allocate<SQL_HANDLE_DBC>(SQL_HANDLE_ENV, environment.get());
  check(SQLDriverConnect(odbc.get(), nullptr, characters(given[1]), SQL_NTS, nullptr, 0, nullptr,
                         SQL_DRIVER_NOPROMPT),
        SQL_HANDLE_DBC, odbc.get());
  const auto schema = "tq_example_" + std::to_string(getpid());
  const bool mysql = given[0] == "mysql";
  const tq::Queue queue{mysql ? tq::mysql({.schema = schema}) : tq::postgresql({.schema = schema})};
  set_up(odbc.get(), queue, given[0] + "+odbc://?odbc_connect=" + percent_encoded(given[1]),
         schema);
  const bool as_promised = one_of_two_orders_is_stored(odbc.get(), queue);
  run(odbc.get(), "DROP SCHEMA " + schema + (mysql ? "" : " CASCADE"));
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
