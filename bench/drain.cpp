// The workloads that empty a queue.
#include <algorithm>
#include <atomic>

#include "parts.hpp"

namespace tq::bench {
namespace {

struct Taken {
  std::int64_t claimed = 0;
  std::int64_t accepted = 0;
};

Taken empty_queue(Hands& hands, std::size_t batch) {
  Taken taken;
  std::size_t held = hands.claim(batch);
  while (held > 0) {
    taken.claimed += static_cast<std::int64_t>(held);
    const auto turn = hands.complete_and_claim(batch);
    taken.accepted += static_cast<std::int64_t>(turn.accepted);
    held = turn.claimed;
  }
  return taken;
}

Result by_hands(const Target& target, const Size& size, std::size_t batch, int connections) {
  load(target, size, size.jobs);
  const auto hands = open_hands(target, size, connections);
  std::atomic<std::int64_t> claimed = 0;
  std::atomic<std::int64_t> accepted = 0;
  const auto begin = monotonic();
  on_threads(connections, [&](int i) {
    const auto taken = empty_queue(*hands[static_cast<std::size_t>(i)], batch);
    claimed += taken.claimed;
    accepted += taken.accepted;
  });
  const auto end = monotonic();
  Result result{.unit = "jobs/s",
                .value = static_cast<double>(claimed) / seconds_between(begin, end)};
  check_drained(target, result, static_cast<std::int64_t>(size.jobs), claimed, claimed - accepted);
  return result;
}

}  // namespace

Result drained_by_workers(const Target& target, const Size& size, std::size_t jobs) {
  const auto reports =
      run_workers(target, {.threads = size.threads, .wake_up = size.wake_up}, size.processes);
  std::int64_t begin = reports.front().begun;
  std::int64_t end = 0;
  WorkerReport sum;
  for (const auto& report : reports) {
    begin = std::min(begin, report.begun);
    end = std::max(end, report.ended);
    sum.started += report.started;
    sum.refused += report.refused;
    sum.processor += report.processor;
    sum.peak_kib = std::max(sum.peak_kib, report.peak_kib);
  }
  const auto count = static_cast<double>(jobs);
  Result result{.unit = "jobs/s",
                .value = count / seconds_between(begin, end),
                .more = {{"processor us a job", static_cast<double>(sum.processor) / count},
                         {"peak MiB", static_cast<double>(sum.peak_kib) / 1024}}};
  check_drained(target, result, static_cast<std::int64_t>(jobs), sum.started, sum.refused);
  return result;
}

Result drain_one(const Target& target, const Size& size) {
  return by_hands(target, size, 1, size.connections);
}

Result drain(const Target& target, const Size& size) {
  // A worker claims on one connection and acknowledges on another, where two can write at once.
  const int connections = target.queue.dialect().facts.concurrent_writers ? 2 : 1;
  if (!target.start_worker) {
    return by_hands(target, size, size.batch, connections * size.processes);
  }
  load(target, size, size.jobs);
  return drained_by_workers(target, size, size.jobs);
}

Result memory(const Target& target, const Size& size) {
  load(target, size, size.jobs);
  const auto reports =
      run_workers(target, {.threads = size.threads, .wake_up = size.wake_up, .jobs = size.jobs}, 1);
  const auto& report = reports.front();
  const double peak = static_cast<double>(report.peak_kib) / 1024;
  const double middle = static_cast<double>(report.middle_kib) / 1024;
  Result result{.unit = "MiB",
                .value = peak,
                .more = {{"MiB when half was done", middle}, {"growth MiB", peak - middle}}};
  check_drained(target, result, static_cast<std::int64_t>(size.jobs), report.started,
                report.refused);
  return result;
}

}  // namespace tq::bench
