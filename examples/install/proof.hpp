// What each program here proves with its client library: a job that is enqueued in the
// application's own transaction is there once that has committed, and never after a rollback.
#pragma once

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <tq/queue.hpp>
#include <tq/schema.hpp>

/// The application's own database, by its client library alone.
class OwnDatabase {
 public:
  OwnDatabase() = default;
  OwnDatabase(const OwnDatabase&) = delete;
  OwnDatabase& operator=(const OwnDatabase&) = delete;
  virtual ~OwnDatabase() = default;

  /// Runs one statement and gives its first value, if it has one.
  virtual std::string run(const std::string& sql) = 0;
  virtual void begin() { run("BEGIN"); }
  virtual void commit() { run("COMMIT"); }
  virtual void rollback() { run("ROLLBACK"); }
};

/// Opens a connection of the library's own to the same database.
using Open = std::function<std::unique_ptr<tq::Connection>()>;

inline void place_order(OwnDatabase& own, tq::Connection& borrowed, const tq::Queue& queue) {
  own.run("INSERT INTO orders (item) VALUES ('lamp')");
  queue.enqueue(borrowed, {.queue = "billing", .kind = "charge", .payload = R"({"item": "lamp"})"});
}

/// How many orders and how many jobs another connection sees, which claims the jobs.
inline bool sees(const std::string& when, std::size_t expected, OwnDatabase& own, const Open& open,
                 const tq::Queue& queue) {
  const auto orders = own.run("SELECT COUNT(*) FROM orders");
  const auto jobs =
      queue.claim(*open(), {.queue = "billing", .worker = "proof", .limit = 10}).size();
  std::cout << when << ": orders " << orders << ", jobs " << jobs << '\n';
  return orders == std::to_string(expected) && jobs == expected;
}

/// `borrowed` borrows the handle of `own`, in whose schema `queue` is. Gives an exit code.
inline int prove(OwnDatabase& own, tq::Connection& borrowed, const Open& open,
                 const tq::Queue& queue) {
  tq::install_schema(*open(), queue.dialect());
  own.run("CREATE TABLE orders (item VARCHAR(40) NOT NULL)");

  own.begin();
  place_order(own, borrowed, queue);
  own.rollback();
  const bool undone = sees("rolled back", 0, own, open, queue);

  own.begin();
  place_order(own, borrowed, queue);
  own.commit();
  const bool done = sees("committed", 1, own, open, queue);
  return undone && done ? 0 : 1;
}
