#include "parts.hpp"

namespace tq::bench {
namespace {

constexpr std::size_t jobs_a_call = 1'000;

// Each connection stores its share by calls of `batch` jobs.
Result enqueue(const Target& target, const Size& size, std::size_t batch) {
  const auto hands = open_hands(target, size, size.connections);
  for (const auto& one : hands) one->enqueue(batch);  // what is prepared once is not measured
  const std::size_t share =
      std::max<std::size_t>(size.jobs / static_cast<std::size_t>(size.connections), batch);
  const std::size_t calls = share / batch;
  const auto begin = monotonic();
  on_threads(size.connections, [&](int i) {
    for (std::size_t n = 0; n < calls; ++n) hands[static_cast<std::size_t>(i)]->enqueue(batch);
  });
  const auto end = monotonic();
  const auto connections = static_cast<std::size_t>(size.connections);
  const auto stored = static_cast<std::int64_t>(calls * batch * connections);
  Result result{.unit = "jobs/s",
                .value = static_cast<double>(stored) / seconds_between(begin, end),
                .jobs = stored};
  std::int64_t ready = 0;
  const auto connection = target.connect();
  for (const auto& stats : target.queue.stats(*connection, queue_name)) ready += stats.ready;
  result.lost = stored + static_cast<std::int64_t>(batch * connections) - ready;
  return result;
}

}  // namespace

Result enqueue_one(const Target& target, const Size& size) { return enqueue(target, size, 1); }

Result enqueue_bulk(const Target& target, const Size& size) {
  return enqueue(target, size, jobs_a_call);
}

}  // namespace tq::bench
