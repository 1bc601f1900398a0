// A handler that runs a shell command for each job.
#pragma once

#include <stop_token>
#include <string>

#include "guardian.hpp"
#include "tq/worker.hpp"

namespace tq::cli {

/// Exit code 0 completes the job, 65 (EX_DATAERR) makes it dead, any other end has it tried again.
/// `hurry`: commands that run are ended at once and their jobs given back. `guardian` must outlive
/// the handler.
[[nodiscard]] Handler exec_handler(std::string command, std::stop_token hurry, Guardian& guardian);

}  // namespace tq::cli
