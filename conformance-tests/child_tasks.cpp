#include "child_tasks.hpp"

#include <unistd.h>

#include <atomic>
#include <functional>
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

// Each transaction that had to be repeated leaves a row, so that the test can report how many.
Queue noting_repeats(const Place& place) {
  return Queue{place.dialect(),
               {.retries = {.on_retry = [&place](const Error& error) {
                  of_this_thread(place).execute(
                      "INSERT INTO " + place.table("tqc_row") +
                      " (note) VALUES ('repeated: " + std::string{name(error.code())} + "')");
                }}}};
}

int drain(const Place& place, const Words& arguments) {
  constexpr int threads = 2;
  Worker worker{noting_repeats(place),
                [&] { return place.open(); },
                {.queues = {{arguments.at(0)}},
                 .name = arguments.size() > 1 ? arguments[1] : "",
                 .threads = threads,
                 .max_poll = std::chrono::milliseconds{100},
                 .drain = true}};
  worker.on_any([&](const Job& job, Context& /*context*/) {
    // Not the empty text, which is the same as none on some engines and not on others.
    const auto group = job.group_key ? "'" + *job.group_key + "'" : "NULL";
    const auto record = [&](const std::string& event) {
      of_this_thread(place).execute("INSERT INTO " + place.table("tqc_history") +
                                    " (job_id, group_key, event) VALUES ('" + job.job_id.text() +
                                    "', " + group + ", '" + event + "')");
    };
    record("start");
    if (job.group_key) record("end");
  });
  worker.run({});
  return 0;
}

// A transaction of the application's own. What the engine declares as a race is repeated, as an
// application would, and leaves a row.
void in_transaction(const Place& place, RawConnection& raw, const std::string& begin,
                    const std::string& end, const std::function<void()>& body) {
  for (;;) {
    try {
      raw.execute(begin);
      body();
      raw.execute(end);
      return;
    } catch (const Error& error) {
      if (!error.retryable()) throw;
      raw.execute("ROLLBACK");
      of_this_thread(place).execute(
          "INSERT INTO " + place.table("tqc_row") +
          " (note) VALUES ('passed on: " + std::string{name(error.code())} + "')");
    }
  }
}

// Enqueues with the oldest snapshot that there can be.
int produce_in_snapshots(const Place& place, const Words& arguments) {
  enum : std::size_t { queue_name, number, begin, commit };
  const Queue queue{place.dialect()};
  const auto raw = place.raw();
  const auto borrowed = raw->borrow();
  for (int i = 0; i < std::stoi(arguments.at(number)); ++i) {
    in_transaction(place, *raw, arguments.at(begin), arguments.at(commit), [&] {
      raw->execute("SELECT COUNT(*) FROM " + place.table("tqc_row"));
      queue.enqueue(*borrowed, {.queue = arguments.at(queue_name),
                                .kind = "k",
                                .unique_key = "made-" + std::to_string(i),
                                .group_key = "g" + std::to_string(i % 20)});
    });
  }
  return 0;
}

// Asks for keys that are taken, and keeps its transaction open for a while each time. Whatever it
// may have stored goes back.
int collide(const Place& place, const Words& arguments) {
  enum : std::size_t { queue_name, number, begin, rollback };
  const Queue queue{place.dialect()};
  const auto raw = place.raw();
  const auto borrowed = raw->borrow();
  for (int i = 0; i < std::stoi(arguments.at(number)); ++i) {
    in_transaction(place, *raw, arguments.at(begin), arguments.at(rollback), [&] {
      queue.enqueue(*borrowed, {.queue = arguments.at(queue_name),
                                .kind = "k",
                                .unique_key = "held-" + std::to_string(i)});
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    });
  }
  return 0;
}

}  // namespace

ChildTask child_task(const std::string& name) {
  static const std::map<std::string, ChildTask> tasks{
      {"install", install}, {"die_in_transaction", die_in_transaction},     {"produce", produce},
      {"drain", drain},     {"produce_in_snapshots", produce_in_snapshots}, {"collide", collide},
  };
  return tasks.at(name);
}

}  // namespace tq::conformance
