// The cycle of a worker by hand: claim, extend, complete; and what a worker hears that was too
// slow.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

using namespace std::chrono_literals;

namespace {

bool expect(const std::string& what, tq::Finish expected, tq::Finish answer) {
  std::cout << what << ": " << tq::name(answer) << '\n';
  return answer == expected;
}

// [quote]
// Generation 1 of the job goes through the cycle as it should.
bool in_time(const tq::Queue& queue, tq::Connection& db) {
  const auto jobs = queue.claim(db, {.queue = "mail", .worker = "ann", .limit = 10, .lease = 30s});
  bool good = !jobs.empty();
  for (const tq::Job& job : jobs) {
    std::cout << job.kind << ' ' << job.payload << '\n';
    good &= expect("extend", tq::Finish::done, queue.extend(db, job.lease(), 60s).outcome);
    good &= expect("complete", tq::Finish::done, queue.complete(db, job.lease()));
    good &= expect("complete again", tq::Finish::already, queue.complete(db, job.lease()));
  }
  return good;
}
// [/quote]

// [quote]
// Ann's lease ends before she is done, so the job becomes Bob's, and her word counts no more.
bool too_late(const tq::Queue& queue, tq::Connection& db) {
  const auto anns = queue.claim(db, {.queue = "mail", .worker = "ann", .lease = 1ms}).at(0);
  std::this_thread::sleep_for(10ms);
  bool good = expect("ann, too late", tq::Finish::lost, queue.complete(db, anns.lease()));

  queue.reap(db);  // what any worker does now and then: expired jobs become ready
  const auto bobs = queue.claim(db, {.queue = "mail", .worker = "bob"}).at(0);
  good &= bobs.job_id == anns.job_id && bobs.generation == anns.generation + 1;
  good &= expect("ann, stale", tq::Finish::lost, queue.complete(db, anns.lease()));
  good &= expect("bob", tq::Finish::done, queue.complete(db, bobs.lease()));
  return good;
}
// [/quote]

}  // namespace

int main() try {
  // A failed or expired job usually waits before it is tried again; here it does not.
  const tq::Queue queue{tq::sqlite(), {.backoff = {.base = 0s}}};
  const auto db = tq::SqliteConnection::open(":memory:");
  tq::install_schema(*db, queue.dialect());
  queue.enqueue(*db, {.queue = "mail", .kind = "welcome", .payload = R"({"to": "eve"})"});
  if (!in_time(queue, *db)) return 1;
  queue.enqueue(*db, {.queue = "mail", .kind = "welcome", .payload = R"({"to": "dan"})"});
  return too_late(queue, *db) ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
