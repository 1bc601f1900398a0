// Processes of our own: this program again, doing one task in a place that a test has made.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

/// A running child. The destructor ends it with SIGKILL if it still runs.
class Child {
 public:
  explicit Child(pid_t process) noexcept : process_(process) {}
  Child(Child&& other) noexcept : process_(other.process_) { other.process_ = 0; }
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Waits for its end; gives the exit code, or -1 if a signal ended it.
  int wait();

 private:
  pid_t process_;
};

/// Starts `task` (a name of run_child's table) in another process.
[[nodiscard]] Child start_child(const Server& server, const Place& place, const std::string& task,
                                const std::vector<std::string>& arguments = {});

/// The other side: `words` are what start_child passed on. Gives the process's exit code.
int run_child(const std::vector<std::string>& words);

/// How a child ends that dies in the middle of its work.
inline constexpr int died_on_purpose = 42;

}  // namespace tq::conformance
