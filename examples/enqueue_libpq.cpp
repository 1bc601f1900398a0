// A job enqueued on the application's own PGconn*: the order and its job commit together or not at
// all. Takes a connection string; works in a schema of its own, which it drops.
#include <libpq-fe.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tq/libpq.hpp"
#include "tq/postgresql.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace {

using Postgres = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// Runs one statement and gives its first value, if it has one.
std::string run(PGconn* pg, const std::string& sql, const std::vector<const char*>& values = {}) {
  const Result result{PQexecParams(pg, sql.c_str(), static_cast<int>(values.size()), nullptr,
                                   values.data(), nullptr, nullptr, 0),
                      &PQclear};
  const auto status = PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK) return PQgetvalue(result.get(), 0, 0);
  if (status != PGRES_COMMAND_OK) throw std::runtime_error{PQerrorMessage(pg)};
  return {};
}

// The application's own transaction: rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(PGconn* pg) : pg_(pg) { run(pg, "BEGIN"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (PQtransactionStatus(pg_) != PQTRANS_IDLE) PQclear(PQexec(pg_, "ROLLBACK"));
  }
  void commit() { run(pg_, "COMMIT"); }

 private:
  PGconn* pg_;
};

// [quote]
void place_order(PGconn* pg, const tq::Queue& queue, const std::string& item) {
  tq::LibpqConnection db{pg};  // borrows: it never begins, commits, rolls back or closes
  Transaction transaction{pg};
  const auto order = run(pg, "INSERT INTO orders (item) VALUES ($1) RETURNING id", {item.c_str()});
  queue.enqueue(db,
                {.queue = "billing", .kind = "charge", .payload = R"({"order":)" + order + "}"});
  run(pg, "UPDATE stock SET pieces = pieces - 1 WHERE item = $1", {item.c_str()});  // may throw
  transaction.commit();  // now workers see the job; before, and after a rollback, nobody does
}
// [/quote]

void set_up(PGconn* pg, const tq::Queue& queue, const std::string& schema) {
  tq::LibpqConnection db{pg};
  Transaction transaction{pg};
  tq::install_schema(db, queue.dialect());
  run(pg, "SET search_path = " + schema);
  run(pg, "SET client_min_messages = warning");
  run(pg, "CREATE TABLE orders (id bigserial PRIMARY KEY, item text NOT NULL)");
  run(pg, "CREATE TABLE stock (item text PRIMARY KEY, pieces integer CHECK (pieces >= 0))");
  run(pg, "INSERT INTO stock VALUES ('lamp', 1)");
  transaction.commit();
}

// There is one lamp: the first order is stored with its job, the second leaves nothing behind.
bool one_of_two_orders_is_stored(PGconn* pg, const tq::Queue& queue) {
  place_order(pg, queue, "lamp");
  bool refused = false;
  try {
    place_order(pg, queue, "lamp");
  } catch (const std::runtime_error& error) {
    std::cout << "the second order was refused: " << error.what();
    refused = true;
  }
  const auto orders = run(pg, "SELECT count(*) FROM orders");
  const auto jobs = run(pg, "SELECT count(*) FROM tq_job WHERE state = 'ready'");
  std::cout << "orders: " << orders << ", jobs: " << jobs << '\n';
  return refused && orders == "1" && jobs == "1";
}

}  // namespace

int main(int count, char** arguments) try {
  const Postgres pg{PQconnectdb(count > 1 ? arguments[1] : ""), &PQfinish};
  if (PQstatus(pg.get()) != CONNECTION_OK) throw std::runtime_error{PQerrorMessage(pg.get())};
  const auto schema = "tq_example_" + std::to_string(getpid());
  const tq::Queue queue{tq::postgresql({.schema = schema})};
  set_up(pg.get(), queue, schema);
  const bool as_promised = one_of_two_orders_is_stored(pg.get(), queue);
  run(pg.get(), "DROP SCHEMA " + schema + " CASCADE");
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
