// Runs a shell command for a job, in a process group of its own.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tq::cli {

class Guardian;

struct ProcessRequest {
  std::string command = {};  ///< for /bin/sh -c
  std::string input = {};    ///< its standard input, byte for byte
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< on top of ours
  int output = STDOUT_FILENO;             ///< where its standard output is passed on to
  std::chrono::milliseconds grace{5000};  ///< from SIGTERM to SIGKILL
  std::stop_token hurry = {};             ///< a second reason to stop, as good as the first
};

struct ProcessResult {
  enum class End : std::uint8_t { exited, signalled } end = End::exited;
  int status = 0;           ///< the exit status, or the signal's number
  bool stopped = false;     ///< it was told to stop before it ended
  int output_failure = 0;   ///< errno of passing standard output on; 0: nothing was lost
  std::string errors = {};  ///< the end of its standard error

  [[nodiscard]] bool succeeded() const noexcept { return end == End::exited && status == 0; }
};

/// How much of standard error is kept, in characters.
inline constexpr std::size_t kept_error_characters = 4000;

/// Runs the command and waits for it. Its standard output is passed on to `output` and its
/// standard error to ours, line by line, and the end of the latter is kept. The command need not
/// read its input.
///
/// It has ended when the shell has ended: what is then left in its process group is killed. When
/// `stop` is requested the whole group gets SIGTERM, and SIGKILL after `grace`. A process that left
/// the group (setsid) is not waited for. `guardian`, if given, ends the group should this program
/// die. Throws std::system_error if it cannot be started. Any number of threads may call it.
ProcessResult run_process(const ProcessRequest& request, std::stop_token stop, Guardian* guardian);

/// The last `characters` of a UTF-8 text.
[[nodiscard]] std::string last_characters(std::string_view text, std::size_t characters);

/// "exit code 3", "signal 9 (Killed)".
[[nodiscard]] std::string end_text(const ProcessResult& result);

}  // namespace tq::cli
