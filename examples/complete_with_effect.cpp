// An effect that happens once: the job is completed in the same transaction that changes the
// application's data. A worker that has lost its lease cannot commit its change.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "own_database.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

using namespace std::chrono_literals;

namespace {

// [quote]
void pay_out(sqlite3* own, const tq::Queue& queue, const tq::Job& job) {
  tq::SqliteConnection db{own};
  OwnTransaction transaction{own};  // rolls back unless it is committed
  run(own, "UPDATE account SET balance = balance - 10");
  if (queue.complete(db, job.lease()) != tq::Finish::done) {
    throw std::runtime_error{job.worker + " has lost the job; nothing is paid out"};
  }
  transaction.commit();  // the payment and the job's completion, or neither
}
// [/quote]

void set_up(sqlite3* own, const tq::Queue& queue) {
  tq::SqliteConnection db{own};
  OwnTransaction transaction{own};
  tq::install_schema(db, queue.dialect());
  run(own, "CREATE TABLE account (balance INTEGER)");
  run(own, "INSERT INTO account VALUES (100)");
  queue.enqueue(db, {.queue = "bank", .kind = "pay out"});
  transaction.commit();
}

// An operation of several steps needs a transaction on a borrowed connection.
tq::Job claim(sqlite3* own, const tq::Queue& queue, const std::string& worker, tq::Duration lease) {
  tq::SqliteConnection db{own};
  OwnTransaction transaction{own};
  queue.reap(db);
  auto jobs = queue.claim(db, {.queue = "bank", .worker = worker, .lease = lease});
  transaction.commit();
  return jobs.at(0);
}

}  // namespace

int main() try {
  const auto own = open_own(":memory:");
  const tq::Queue queue{tq::sqlite(), {.backoff = {.base = 0s}}};
  set_up(own.get(), queue);

  // Ann is so slow that her lease ends; the job becomes Bob's; then both want to pay out.
  const auto anns = claim(own.get(), queue, "ann", 1ms);
  std::this_thread::sleep_for(10ms);
  const auto bobs = claim(own.get(), queue, "bob", 1min);
  bool refused = false;
  try {
    pay_out(own.get(), queue, anns);
  } catch (const std::runtime_error& error) {
    std::cout << error.what() << '\n';
    refused = true;
  }
  pay_out(own.get(), queue, bobs);
  const auto balance = run(own.get(), "SELECT balance FROM account");
  std::cout << "balance: " << balance << '\n';
  return refused && balance == "90" ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
