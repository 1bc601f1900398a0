// What the tests of the worker runtime stand on.
#pragma once

#include <functional>
#include <thread>

#include "fixture.hpp"
#include "tq/worker.hpp"

namespace tq::conformance {

class WorkerTest : public PairTest {
 protected:
  // Works on "q" until it is empty.
  [[nodiscard]] static WorkerOptions draining() {
    return {.queues = {{"q"}},
            .name = "w",
            .threads = 2,
            .max_poll = std::chrono::milliseconds{50},
            .drain = true};
  }
  [[nodiscard]] static WorkerOptions staying() {
    auto options = draining();
    options.drain = false;
    return options;
  }
  [[nodiscard]] Worker worker(WorkerOptions options) const {
    return Worker{queue(), [this] { return place().open(); }, std::move(options)};
  }
  // Runs it in a thread, until `body` returns.
  static void while_running(Worker& worker, const std::function<void()>& body) {
    std::jthread thread{[&](const std::stop_token& stop) {
      try {
        worker.run(stop);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "the worker ended: " << error.what();
      }
    }};
    body();
  }
};

}  // namespace tq::conformance
