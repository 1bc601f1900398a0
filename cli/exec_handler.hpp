// A handler that runs a shell command for each job.
#pragma once

#include <unistd.h>

#include <functional>
#include <stop_token>
#include <string>

#include "guardian.hpp"
#include "tq/worker.hpp"

namespace tq::cli {

struct ExecOptions {
  std::string command = {};
  std::stop_token hurry = {};  ///< commands that run are ended at once, their jobs given back
  Guardian* guardian = nullptr;
  int output = STDOUT_FILENO;  ///< where the commands' standard output goes
  /// A command's output could not be passed on, with errno; its job is given back. Any thread.
  std::function<void(int error)> on_output_lost = {};
};

/// Exit code 0 completes the job, 65 (EX_DATAERR) makes it dead, any other end has it tried again.
[[nodiscard]] Handler exec_handler(ExecOptions options);

}  // namespace tq::cli
