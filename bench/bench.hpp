// The workloads of docs/benchmarks.md: named, bounded, and each counts what it did to its jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tq/queue.hpp"
#include "tq/worker.hpp"

namespace tq::bench {

/// How much work a workload has and who does it. What a workload does not use, it ignores.
struct Size {
  std::size_t jobs = 20'000;  ///< 1..10,000,000
  std::size_t batch = 500;    ///< jobs a claim and a call of enqueue, 1..1,000
  int connections = 4;        ///< 1..100
  int processes = 1;          ///< worker processes, 1..64
  int threads = 4;            ///< handlers of each of them, 1..1,000
  std::size_t payload = 32;   ///< bytes of each payload, 2..1,048,576
  int seconds = 10;           ///< of the workloads that go by time, 1..3,600
  bool wake_up = true;        ///< workers listen where the engine can announce
};

/// One connection and the jobs that it holds: the calls that a queue lives on.
class Hands {
 public:
  Hands() = default;
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;
  virtual ~Hands() = default;

  /// Stores so many jobs in one transaction.
  virtual void enqueue(std::size_t jobs) = 0;
  /// Claims at most so many in one transaction, holds them, and says how many.
  virtual std::size_t claim(std::size_t limit) = 0;
  /// Completes all that are held in one transaction; says how many of them were accepted.
  virtual std::size_t complete() = 0;
  /// complete(), then claim(), in one transaction.
  struct Turn {
    std::size_t accepted = 0;
    std::size_t claimed = 0;
  };
  virtual Turn complete_and_claim(std::size_t limit) = 0;
  /// Microseconds from saying something to another connection to its hearing of it, by what the
  /// engine has for that. Only of a side without workers.
  virtual double round_trip();
};

/// What a worker process is to do, and what it tells when it ends.
struct WorkerTask {
  int threads = 4;
  bool wake_up = true;
  /// It ends after so many jobs; 0: once the queue is empty.
  std::size_t jobs = 0;
};
struct WorkerReport {
  std::int64_t begun = 0;       ///< monotonic clock of the machine, microseconds: the first claim
  std::int64_t ended = 0;       ///< the last acknowledgement's answer
  std::int64_t started = 0;     ///< handlers that were started
  std::int64_t done = 0;        ///< acknowledgements that were accepted
  std::int64_t refused = 0;     ///< acknowledgements that came too late
  std::int64_t processor = 0;   ///< microseconds of processor time, all threads
  std::int64_t peak_kib = 0;    ///< peak resident memory
  std::int64_t middle_kib = 0;  ///< peak resident memory when half of the jobs were done
  std::vector<std::int64_t> latencies = {};  ///< microseconds, of payloads that hold their time
};
class WorkerProcess {
 public:
  WorkerProcess() = default;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  virtual ~WorkerProcess() = default;
  /// Waits until it works.
  virtual void wait_ready() = 0;
  /// Waits for its end. Throws if it failed.
  virtual WorkerReport wait() = 0;
};

/// Where a workload runs: tables of its own, which are installed and empty.
struct Target {
  Queue queue;
  Connector connect;
  std::function<std::unique_ptr<Hands>(const Size&)> hands;  ///< the side that is measured
  /// Null where that side has no worker: its hands do the work.
  std::function<std::unique_ptr<WorkerProcess>(const WorkerTask&)> start_worker = {};
  /// Makes another one with tables of its own, which lives as long as this one.
  std::function<const Target&()> another = {};
};

struct Figure {
  std::string name;
  double value = 0;
};
/// What a run gave. A job is lost if it was stored and not completed, doubled if it was handed out
/// twice, stale if a completion was refused.
struct Result {
  std::string workload = {};
  std::string unit = {};
  double value = 0;  ///< the figure that is compared
  std::vector<Figure> more = {};
  std::int64_t jobs = 0;
  std::int64_t lost = 0;
  std::int64_t doubled = 0;
  std::int64_t stale = 0;
};

struct Workload {
  std::string_view name;
  std::string_view text;  ///< one line for the help
  Size usual;
  Result (*run)(const Target&, const Size&);
};

/// In the order of docs/benchmarks.md.
[[nodiscard]] const std::vector<Workload>& all_workloads();

/// The library's side: the calls of Queue on a connection of its own.
[[nodiscard]] std::unique_ptr<Hands> library_hands(const Queue& queue, const Connector& connect,
                                                   const Size& size);

/// Runs a worker until its task is done; calls `ready` once it has claimed for the first time.
[[nodiscard]] WorkerReport run_worker(const Queue& queue, const Connector& connect,
                                      const WorkerTask& task, const std::function<void()>& ready);

/// What the server's settings say of durability, as "name=value" with blanks between.
[[nodiscard]] std::string durability(Connection& connection, const Dialect& dialect);

/// The queue that every workload uses.
inline constexpr const char* queue_name = "bench";

}  // namespace tq::bench
