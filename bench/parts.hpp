// What the workloads have in common.
#pragma once

#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "bench.hpp"

namespace tq::bench {

/// The machine's monotonic clock, the same in every process, in microseconds.
[[nodiscard]] std::int64_t monotonic();

/// A job with a payload of the size that was asked for.
[[nodiscard]] NewJob new_job(const Size& size);

/// Stores `count` jobs by large calls.
void load(const Target& target, const Size& size, std::size_t count,
          const std::function<void(NewJob&, std::size_t)>& change = {});

/// Stores `count` jobs and completes them.
void load_finished(const Target& target, const Size& size, std::size_t count);

/// So many of them, each with a connection of its own.
[[nodiscard]] std::vector<std::unique_ptr<Hands>> open_hands(const Target& target, const Size& size,
                                                             int count);

/// Lets every worker process do its task; reports in the order of their start.
[[nodiscard]] std::vector<WorkerReport> run_workers(const Target& target, const WorkerTask& task,
                                                    int processes);

/// Drains what is there by worker processes, which has `jobs` jobs to do.
[[nodiscard]] Result drained_by_workers(const Target& target, const Size& size, std::size_t jobs);

/// Fills in the checks from what became of `jobs` in the database, and from the reports.
void check_drained(const Target& target, Result& result, std::int64_t jobs, std::int64_t handed_out,
                   std::int64_t refused);

/// The middle and the 99th of 100. `values` are sorted.
[[nodiscard]] double median(std::vector<double>& values);
[[nodiscard]] double percentile(std::vector<double>& values, double share);

/// Runs `body(i)` on so many threads and throws what the first of them threw.
template <class Body>
void on_threads(int count, Body body) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        try {
          body(i);
        } catch (...) {
          failures[static_cast<std::size_t>(i)] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

[[nodiscard]] double seconds_between(std::int64_t begin, std::int64_t end);

// The workloads, each in the file of its name.
Result enqueue_one(const Target& target, const Size& size);
Result enqueue_bulk(const Target& target, const Size& size);
Result drain_one(const Target& target, const Size& size);
Result drain(const Target& target, const Size& size);
Result steady(const Target& target, const Size& size);
Result latency(const Target& target, const Size& size);
Result backlog(const Target& target, const Size& size);
Result finished(const Target& target, const Size& size);
Result future(const Target& target, const Size& size);
Result snapshot(const Target& target, const Size& size);
Result groups(const Target& target, const Size& size);
Result memory(const Target& target, const Size& size);

}  // namespace tq::bench
