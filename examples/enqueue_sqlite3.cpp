// A job enqueued on the application's own sqlite3*: the order and its job commit together or not at
// all. The queue's tables lie in the application's own database.
#include <iostream>
#include <string>

#include "own_database.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

namespace {

// [quote]
void place_order(sqlite3* own, const tq::Queue& queue, const std::string& item) {
  tq::SqliteConnection db{own};  // borrows: it never begins, commits, rolls back or closes
  OwnTransaction transaction{own};
  const auto order = run(own, "INSERT INTO orders (item) VALUES (?1) RETURNING id", {item});
  queue.enqueue(db,
                {.queue = "billing", .kind = "charge", .payload = R"({"order":)" + order + "}"});
  run(own, "UPDATE stock SET pieces = pieces - 1 WHERE item = ?1", {item});  // may throw
  transaction.commit();  // now workers see the job; before, and after a rollback, nobody does
}
// [/quote]

void set_up(sqlite3* own, const tq::Queue& queue) {
  tq::SqliteConnection db{own};
  OwnTransaction transaction{own};
  tq::install_schema(db, queue.dialect());
  run(own, "CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL)");
  run(own, "CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER CHECK (pieces >= 0))");
  run(own, "INSERT INTO stock VALUES ('lamp', 1)");
  transaction.commit();
}

// There is one lamp: the first order is stored with its job, the second leaves nothing behind.
bool one_of_two_orders_is_stored(sqlite3* own, const tq::Queue& queue) {
  place_order(own, queue, "lamp");
  bool refused = false;
  try {
    place_order(own, queue, "lamp");
  } catch (const std::runtime_error& error) {
    std::cout << "the second order was refused: " << error.what() << '\n';
    refused = true;
  }
  const auto orders = run(own, "SELECT count(*) FROM orders");
  const auto jobs = run(own, "SELECT count(*) FROM tq_job WHERE state = 'ready'");
  std::cout << "orders: " << orders << ", jobs: " << jobs << '\n';
  return refused && orders == "1" && jobs == "1";
}

}  // namespace

int main() try {
  const auto own = open_own(":memory:");
  const tq::Queue queue{tq::sqlite()};
  set_up(own.get(), queue);
  return one_of_two_orders_is_stored(own.get(), queue) ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
