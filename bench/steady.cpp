#include <atomic>

#include "parts.hpp"

namespace tq::bench {
namespace {

// Producers wait while more than this is under way, so the backlog cannot grow.
constexpr std::int64_t most_under_way = 5'000;
constexpr std::size_t jobs_a_call = 10;

struct Flow {
  std::atomic<std::int64_t> stored = 0;
  std::atomic<std::int64_t> started = 0;
  std::atomic<std::int64_t> done = 0;
  std::atomic<std::int64_t> refused = 0;
};

void produce(Hands& hands, Flow& flow, std::int64_t until) {
  while (monotonic() < until) {
    if (flow.stored - flow.done > most_under_way) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      continue;
    }
    hands.enqueue(jobs_a_call);
    flow.stored += jobs_a_call;
  }
}

void work(const Target& target, const Size& size, Flow& flow, const std::stop_token& stop) {
  WorkerOptions options{
      .queues = {{.queue = queue_name}}, .threads = size.threads, .wake_up = size.wake_up};
  options.on_event = [&flow](const WorkerEvent& event) {
    if (event.kind != WorkerEvent::Kind::finished || event.verb != Verb::completed) return;
    (event.finish == Finish::done ? flow.done : flow.refused) += 1;
  };
  Worker worker{target.queue, target.connect, options};
  worker.on_any([&flow](const Job&, Context&) { flow.started += 1; });
  worker.run(stop);
}

void wait_until_done(const Flow& flow) {
  const auto late = monotonic() + 60'000'000;
  while (flow.done + flow.refused < flow.stored && monotonic() < late) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

}  // namespace

// Producers on so many connections and one worker, in this process.
Result steady(const Target& target, const Size& size) {
  Flow flow;
  const auto hands = open_hands(target, size, size.connections);
  const auto begin = monotonic();
  const auto until = begin + size.seconds * std::int64_t{1'000'000};
  std::int64_t done = 0;
  std::stop_source stop;
  std::exception_ptr failure;  // read once the worker has ended
  {
    const std::jthread worker{[&] {
      try {
        work(target, size, flow, stop.get_token());
      } catch (...) {
        failure = std::current_exception();
      }
    }};
    on_threads(size.connections,
               [&](int i) { produce(*hands[static_cast<std::size_t>(i)], flow, until); });
    done = flow.done;
    wait_until_done(flow);
    stop.request_stop();
  }
  if (failure) std::rethrow_exception(failure);
  Result result{.unit = "jobs/s",
                .value = static_cast<double>(done) / seconds_between(begin, until)};
  check_drained(target, result, flow.stored, flow.started, flow.refused);
  return result;
}

}  // namespace tq::bench
