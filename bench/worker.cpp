// A worker process, and what its drain is measured by.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>

#include "parts.hpp"

namespace tq::bench {
namespace {

std::int64_t peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::int64_t processor_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

// When the job was stored, if its payload says so.
std::optional<std::int64_t> time_in(const std::string& payload) {
  std::int64_t time = 0;
  const auto* const end = payload.data() + payload.size();
  const auto read = std::from_chars(payload.data(), end, time);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return time;
}

class Tally {
 public:
  Tally(const WorkerTask& task, std::stop_source& stop) : task_(task), stop_(stop) {}

  void handle(const Job& job) {
    started_.fetch_add(1, std::memory_order_relaxed);
    const auto stored = time_in(job.payload);
    if (!stored) return;
    const auto waited = monotonic() - *stored;
    const std::lock_guard lock{mutex_};
    latencies_.push_back(waited);
  }

  // The claimer reports every answer, so these are of one thread.
  void answered(const WorkerEvent& event) {
    if (event.verb != Verb::completed) return;
    ended_ = monotonic();
    (event.finish == Finish::done || event.finish == Finish::already ? done_ : refused_) += 1;
    const auto all = static_cast<std::int64_t>(task_.jobs);
    if (all > 0 && done_ == all / 2) middle_kib_ = peak_kib();
    if (all > 0 && done_ == all) stop_.request_stop();
  }

  [[nodiscard]] WorkerReport report(std::int64_t begun, std::int64_t processor) const {
    return {.begun = begun,
            .ended = ended_,
            .started = started_,
            .done = done_,
            .refused = refused_,
            .processor = processor_time() - processor,
            .peak_kib = peak_kib(),
            .middle_kib = middle_kib_,
            .latencies = latencies_};
  }

 private:
  const WorkerTask& task_;
  std::stop_source& stop_;
  std::atomic<std::int64_t> started_ = 0;
  std::int64_t done_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t ended_ = 0;
  std::int64_t middle_kib_ = 0;
  std::mutex mutex_;
  std::vector<std::int64_t> latencies_;
};

}  // namespace

WorkerReport run_worker(const Queue& queue, const Connector& connect, const WorkerTask& task,
                        const std::function<void()>& ready) {
  std::stop_source stop;
  Tally tally{task, stop};
  WorkerOptions options{.queues = {{.queue = queue_name}},
                        .threads = task.threads,
                        .wake_up = task.wake_up,
                        .drain = task.jobs == 0};
  options.on_event = [&](const WorkerEvent& event) {
    if (event.kind == WorkerEvent::Kind::finished) tally.answered(event);
  };
  Worker worker{queue, connect, options};
  worker.on_any([&](const Job& job, Context&) { tally.handle(job); });
  ready();
  const auto processor = processor_time();
  const auto begun = monotonic();
  worker.run(stop.get_token());
  return tally.report(begun, processor);
}

}  // namespace tq::bench
