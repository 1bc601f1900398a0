// A worker with two kinds of jobs: one is tried again after an exception, one is put off for later
// and listens to its stop token. It returns when its queue is empty.
#include "tq/worker.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<int> charged = 0;
std::atomic<int> pages = 0;

// The payment service is down at the first try.
void charge_card(const tq::Job& job) {
  if (job.generation == 1) throw std::runtime_error{"the payment service does not answer"};
  ++charged;
}

// [quote]
void work(const tq::Queue& queue, const std::string& file, std::stop_token stop) {
  tq::Worker worker{queue,
                    [&] { return tq::SqliteConnection::open(file, queue.dialect().session); },
                    {.queues = {{"billing"}}, .threads = 4, .lease = 30s, .drain = true}};
  // Returning completes the job; throwing fails it, and it is tried again after a backoff.
  worker.on("charge", [](const tq::Job& job, tq::Context&) { charge_card(job); });
  worker.on("print", [](const tq::Job& job, tq::Context& context) {
    if (job.generation == 1) return context.snooze(50ms);  // not now; uses up no attempt
    // The stop token says that the lease is lost, the job was cancelled, or the worker must end.
    for (int page = 0; page < 10 && !context.stop_token().stop_requested(); ++page) ++pages;
  });
  worker.run(stop);  // with drain: until no ready and no running job is left
}
// [/quote]

bool all_succeeded(const tq::Queue& queue, tq::Connection& db) {
  const auto stats = queue.stats(db, "billing").at(0);
  std::cout << "succeeded: " << stats.succeeded << ", charged: " << charged
            << ", pages printed: " << pages << '\n';
  for (const auto& row : queue.list(db, {.queue = "billing", .kind = "charge"})) {
    for (const auto& failure : queue.failures(db, row.job_id)) {
      std::cout << "attempt " << failure.generation << " failed: " << failure.error << '\n';
    }
  }
  return stats.succeeded == 4 && stats.ready + stats.running + stats.dead == 0 && charged == 3 &&
         pages == 10;
}

bool run_in(const std::filesystem::path& folder) {
  const auto file = (folder / "worker.db").string();
  const tq::Queue queue{tq::sqlite(), {.backoff = {.base = 10ms}}};
  const auto db = tq::SqliteConnection::open(file);
  tq::install_schema(*db, queue.dialect());
  for (int i = 0; i < 3; ++i) queue.enqueue(*db, {.queue = "billing", .kind = "charge"});
  queue.enqueue(*db, {.queue = "billing", .kind = "print", .max_attempts = 1});
  const std::stop_source stop;  // a service requests it from its SIGTERM handler
  work(queue, file, stop.get_token());
  return all_succeeded(queue, *db);
}

}  // namespace

int main() try {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tq-worker-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const bool as_promised = run_in(folder);
  std::filesystem::remove_all(folder);
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
