// Starts a shell in a process group of its own, safely in a program with threads.
#pragma once

#include <sys/types.h>

#include "descriptor.hpp"
#include "guardian.hpp"
#include "process.hpp"

namespace tq::cli {

struct Launched {
  pid_t process = -1;  ///< also the number of its process group
  Descriptor handle;   ///< a pidfd: readable once the process has ended
  Descriptor input;    ///< write end of its standard input, non-blocking
  Descriptor output;   ///< read end of its standard output, non-blocking
  Descriptor errors;   ///< read end of its standard error, non-blocking
};

/// The process must be waited for by the caller. Throws std::system_error.
[[nodiscard]] Launched launch(const ProcessRequest& request, Guardian* guardian);

}  // namespace tq::cli
