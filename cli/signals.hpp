// SIGTERM, SIGINT and SIGHUP as calls on a thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "descriptor.hpp"

namespace tq::cli {

/// Counts signals that a person, or a supervisor, means as separate ones. Those within 200 ms of
/// the first are one with it: timeout(1) sends SIGTERM to its child and then to the group of both.
class SignalCount {
 public:
  /// How many counted before the one that came `at` this time; nothing if it is one with the first.
  [[nodiscard]] std::optional<int> before(std::chrono::steady_clock::time_point at);

 private:
  std::chrono::steady_clock::time_point first_ = {};
  int counted_ = 0;
};

/// Blocks the signals in the calling thread, so in every thread that is started after it, and
/// calls `on_signal` with the number of each signal that counts and how many counted before.
/// Signals that were ignored when the program started (nohup, a shell's background job) stay so.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int signal, int before)> on_signal);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  void wait();

  std::function<void(int, int)> on_signal_;
  Descriptor signals_;
  Descriptor over_;
  std::thread thread_;
};

}  // namespace tq::cli
