// In-transaction mode: a job is claimed, run and completed in one transaction, so what it changes
// in the same database happens once, without a lease to wait for when a worker dies.
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

using namespace std::chrono_literals;

namespace {

// [quote]
tq::InTransaction pay_out_one(const tq::Queue& queue, tq::Connection& db) {
  return queue.run_in_transaction(
      db, {.queue = "bank", .worker = "ann"}, [](const tq::Job& job, tq::Connection& open) {
        open.execute("UPDATE account SET balance = balance - 10");
        if (job.generation == 1) throw std::runtime_error{"not today"};  // the change is undone
      });
}
// [/quote]

}  // namespace

int main() try {
  const tq::Queue queue{tq::sqlite(), {.backoff = {.base = 0s}}};
  const auto db = tq::SqliteConnection::open(":memory:");
  tq::install_schema(*db, queue.dialect());
  db->execute("CREATE TABLE account (balance INTEGER CHECK (balance >= 0))");
  db->execute("INSERT INTO account VALUES (15)");  // enough for one payment, not for two
  const auto job = queue.enqueue(*db, {.queue = "bank", .kind = "pay out"}).job_id;

  const bool first_failed = pay_out_one(queue, *db) == tq::InTransaction::failed;
  const bool second_completed = pay_out_one(queue, *db) == tq::InTransaction::completed;
  const bool nothing_left = pay_out_one(queue, *db) == tq::InTransaction::none;
  const auto row = queue.find(*db, job.text()).at(0);
  std::cout << tq::name(row.state) << " after " << row.attempts
            << " attempts; the first one: " << queue.failures(*db, job).at(0).error << '\n';
  return first_failed && second_completed && nothing_left && row.attempts == 2 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
