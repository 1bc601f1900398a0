#include <random>

#include "parts.hpp"

namespace tq::bench {
namespace {

// Not in step with anybody's polling.
void pause(std::minstd_rand& random) {
  std::this_thread::sleep_for(std::chrono::milliseconds{20 + random() % 40});
}

Result result_of(std::vector<double> milliseconds) {
  return {.unit = "ms",
          .value = median(milliseconds),
          .more = {{"p99 ms", percentile(milliseconds, 0.99)},
                   {"most ms", percentile(milliseconds, 1)}}};
}

Result bare_round_trips(const Target& target, const Size& size) {
  const auto hands = target.hands(size);
  std::minstd_rand random{1};
  std::vector<double> times;
  for (std::size_t i = 0; i < size.jobs; ++i) {
    pause(random);
    times.push_back(hands->round_trip() / 1000);
  }
  return result_of(std::move(times));
}

}  // namespace

// From just before the call that stores a job to the start of its handler in another process, the
// queue being idle in between.
Result latency(const Target& target, const Size& size) {
  if (!target.start_worker) return bare_round_trips(target, size);
  const auto connection = target.connect();
  // The first ones find caches cold and nobody listening yet.
  const std::size_t first = 20;
  const auto worker =
      target.start_worker({.threads = 1, .wake_up = size.wake_up, .jobs = first + size.jobs});
  worker->wait_ready();
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  std::minstd_rand random{1};
  for (std::size_t i = 0; i < first + size.jobs; ++i) {
    pause(random);
    auto job = new_job(size);
    job.payload = std::to_string(monotonic());
    target.queue.enqueue(*connection, job);
  }
  const auto report = worker->wait();
  std::vector<double> times;
  for (std::size_t i = first; i < report.latencies.size(); ++i) {
    times.push_back(static_cast<double>(report.latencies[i]) / 1000);
  }
  auto result = result_of(std::move(times));
  check_drained(target, result, static_cast<std::int64_t>(first + size.jobs), report.started,
                report.refused);
  return result;
}

}  // namespace tq::bench
