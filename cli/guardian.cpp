#include "guardian.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

namespace tq::cli {
namespace {

constexpr int grace_rounds = 50;
constexpr useconds_t round_micros = 100'000;

// A positive number is a group to watch, a negative one a group to forget.
std::vector<pid_t> groups_left_at_the_end(int pipe) {
  std::vector<pid_t> groups;
  pid_t message = 0;
  while (true) {
    const ssize_t size = ::read(pipe, &message, sizeof message);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof message) return groups;
    if (message > 0) groups.push_back(message);
    if (message < 0) std::erase(groups, -message);
  }
}

// Holds nothing open that someone may wait for, and hears no signal meant for the worker.
void leave_everything(int pipe) {
  setsid();
  prctl(PR_SET_NAME, "tq-guardian");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  constexpr unsigned first = STDERR_FILENO + 1;
  const auto kept = static_cast<unsigned>(pipe);
  if (kept > first) close_range(first, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
  static_cast<void>(chdir("/"));
}

// Whether `signal` found no process of the group.
bool gone(pid_t group, int signal) { return ::kill(-group, signal) != 0 && errno == ESRCH; }

[[noreturn]] void guard(int pipe) {
  leave_everything(pipe);
  std::vector<pid_t> groups = groups_left_at_the_end(pipe);
  std::erase_if(groups, [](pid_t group) { return gone(group, SIGTERM); });
  for (int round = 0; round < grace_rounds && !groups.empty(); ++round) {
    usleep(round_micros);
    std::erase_if(groups, [](pid_t group) { return gone(group, 0); });
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
  _exit(0);
}

}  // namespace

Guardian::Guardian() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error{errno, std::generic_category(), "cannot make a pipe"};
  }
  Descriptor read_end{ends[0]};
  pipe_.reset(ends[1]);
  process_ = fork();
  if (process_ < 0) {
    throw std::system_error{errno, std::generic_category(), "cannot start the guardian"};
  }
  if (process_ == 0) {
    pipe_.reset();
    guard(read_end.get());
  }
}

Guardian::~Guardian() {
  pipe_.reset();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::watch(pid_t group) noexcept { send(group); }
void Guardian::forget(pid_t group) noexcept { send(-group); }

void Guardian::send(pid_t message) noexcept {
  // So short a message is written whole or not at all. Without its guardian a worker still works.
  while (::write(pipe_.get(), &message, sizeof message) < 0 && errno == EINTR) {
  }
}

}  // namespace tq::cli
