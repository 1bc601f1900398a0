// SIGTERM, SIGINT and SIGHUP as calls on a thread.
#pragma once

#include <functional>
#include <thread>

#include "descriptor.hpp"

namespace tq::cli {

/// Blocks the signals in the calling thread, so in every thread that is started after it, and
/// calls `on_signal` with the signal's number and how many came before. Signals that were
/// ignored when the program started (nohup, a shell's background job) stay so.
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
