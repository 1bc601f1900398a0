// The other processes of `tq bench`: the run itself, after which its parent cleans up, and workers.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "descriptor.hpp"

namespace tq::cli {

/// Another process of this program, with this one's arguments.
class SameProgram {
 public:
  enum class Output : std::uint8_t { ours, read };
  /// `environment` on top of ours. Throws std::system_error.
  SameProgram(const std::vector<std::pair<std::string, std::string>>& environment, Output output);
  SameProgram(const SameProgram&) = delete;
  SameProgram& operator=(const SameProgram&) = delete;
  ~SameProgram();  ///< kills it if it runs

  /// The next line of its output; empty at its end.
  [[nodiscard]] std::string read_line();
  /// Waits for it: the exit code, or 128 and a signal's number.
  [[nodiscard]] int wait();
  /// Asks it to end. From any thread.
  void stop() const noexcept;

 private:
  pid_t process_ = -1;
  bool ended_ = false;
  Descriptor output_;
  std::string read_;
};

/// What this process is in a run.
struct BenchRole {
  std::string place;                      ///< empty: the parent, which makes one
  std::optional<bench::WorkerTask> task;  ///< a worker's
};
/// In a child it also sees to it that this process ends with its parent.
[[nodiscard]] BenchRole bench_role();

/// Starts the run, or a worker of it, in `place`.
[[nodiscard]] std::unique_ptr<SameProgram> start_bench_run(const std::string& place);
[[nodiscard]] std::unique_ptr<bench::WorkerProcess> start_bench_worker(
    const std::string& place, const bench::WorkerTask& task);

/// What a worker says once it works.
inline constexpr const char* bench_ready = "ready";

}  // namespace tq::cli
