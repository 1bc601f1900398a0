// Ends the commands of a worker that died without being able to.
#pragma once

#include <sys/types.h>

#include "descriptor.hpp"

namespace tq::cli {

/// A small process that knows the process groups of the commands that run. When this program
/// is gone, even by SIGKILL, it ends them. Must be made before the program has threads.
class Guardian {
 public:
  /// Throws std::system_error.
  Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  ~Guardian();

  /// Both may be called between fork and exec, and by any thread.
  void watch(pid_t group) noexcept;
  void forget(pid_t group) noexcept;

 private:
  void send(pid_t message) noexcept;

  Descriptor pipe_;
  pid_t process_ = -1;
};

}  // namespace tq::cli
