#include "child_tasks.hpp"

#include <unistd.h>

#include <atomic>
#include <iostream>
#include <map>
#include <thread>

#include "child.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/worker.hpp"

namespace tq::conformance {
namespace {

using Words = std::vector<std::string>;

int install(const Place& place, const Words& /*arguments*/) {
  install_schema(*place.open(), place.dialect());
  return 0;
}

int die_in_transaction(const Place& place, const Words& arguments) {
  const Queue queue{place.dialect()};
  const auto connection = place.open();
  queue.run_in_transaction(
      *connection, {.queue = arguments.at(0), .worker = "doomed"},
      [&](const Job& /*job*/, Connection& db) {
        db.execute("INSERT INTO " + place.table("tqc_row") + " (note) VALUES ('never')");
        ::_exit(died_on_purpose);
      });
  return 1;
}

int produce(const Place& place, const Words& arguments) {
  const Queue queue{place.dialect()};
  std::atomic<int> failures = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < std::stoi(arguments.at(1)); ++t) {
    threads.emplace_back([&] {
      try {
        const auto connection = place.open();
        for (int i = 0; i < std::stoi(arguments.at(2)); ++i) {
          queue.enqueue(*connection, {.queue = arguments.at(0), .kind = "k"});
        }
      } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        ++failures;
      }
    });
  }
  threads.clear();
  return failures == 0 ? 0 : 1;
}

// A connection for the handlers of one thread.
Connection& of_this_thread(const Place& place) {
  thread_local const auto connection = place.open();
  return *connection;
}

int drain(const Place& place, const Words& arguments) {
  constexpr int threads = 2;
  Worker worker{Queue{place.dialect()},
                [&] { return place.open(); },
                {.queues = {{arguments.at(0)}},
                 .threads = threads,
                 .max_poll = std::chrono::milliseconds{100},
                 .drain = true}};
  worker.on_any([&](const Job& job, Context& /*context*/) {
    const auto group = job.group_key.value_or("");
    const auto record = [&](const std::string& event) {
      of_this_thread(place).execute("INSERT INTO " + place.table("tqc_history") +
                                    " (job_id, group_key, event) VALUES ('" + job.job_id.text() +
                                    "', '" + group + "', '" + event + "')");
    };
    record("start");
    if (job.group_key) record("end");
  });
  worker.run({});
  return 0;
}

}  // namespace

ChildTask child_task(const std::string& name) {
  static const std::map<std::string, ChildTask> tasks{
      {"install", install},
      {"die_in_transaction", die_in_transaction},
      {"produce", produce},
      {"drain", drain},
  };
  return tasks.at(name);
}

}  // namespace tq::conformance
