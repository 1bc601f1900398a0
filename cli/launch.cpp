#include "launch.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

namespace tq::cli {
namespace {

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error{error, std::generic_category(), what};
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "cannot make a pipe");
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

void unblock(const Descriptor& descriptor) {
  if (fcntl(descriptor.get(), F_SETFL, O_NONBLOCK) != 0) fail(errno, "cannot set O_NONBLOCK");
}

bool same_name(std::string_view variable, std::string_view name) {
  return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
}

std::vector<std::string> environment(const ProcessRequest& request) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const auto& [name, value] : request.environment) {
      replaced = replaced || same_name(*variable, name);
    }
    if (!replaced) result.emplace_back(*variable);
  }
  for (const auto& [name, value] : request.environment) {
    result.emplace_back(name).append("=").append(value);
  }
  return result;
}

// What the child needs after fork, where it must not allocate.
struct Child {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> argument_pointers = {};
  std::vector<char*> variable_pointers = {};
  int input = -1;
  int output = -1;
  int errors = -1;
  int failure = -1;
  Guardian* guardian = nullptr;

  void prepare() {
    for (std::string& word : words) argument_pointers.push_back(word.data());
    for (std::string& variable : variables) variable_pointers.push_back(variable.data());
    argument_pointers.push_back(nullptr);
    variable_pointers.push_back(nullptr);
  }
};

// Between fork and exec in a program with threads: only what a signal handler may call.
[[noreturn]] void become(const Child& child) {
  setpgid(0, 0);
  if (child.guardian != nullptr) child.guardian->watch(getpid());
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(child.input, STDIN_FILENO) >= 0 && dup2(child.output, STDOUT_FILENO) >= 0 &&
      dup2(child.errors, STDERR_FILENO) >= 0) {
    execve("/bin/sh", child.argument_pointers.data(), child.variable_pointers.data());
  }
  const int error = errno;
  static_cast<void>(::write(child.failure, &error, sizeof error));
  _exit(127);
}

// Waits until the child has become the shell; its end of `failure` closes then.
int failure_of(const Descriptor& failure) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(failure.get(), &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  return size == sizeof error ? error : 0;
}

void reap(pid_t process) {
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Launched launch(const ProcessRequest& request, Guardian* guardian) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  Pipe failure = make_pipe();
  unblock(input.write);
  unblock(output.read);
  unblock(errors.read);
  Child child{.words = {"sh", "-c", "--", request.command},
              .variables = environment(request),
              .input = input.read.get(),
              .output = output.write.get(),
              .errors = errors.write.get(),
              .failure = failure.write.get(),
              .guardian = guardian};
  child.prepare();
  const pid_t process = fork();
  if (process < 0) fail(errno, "cannot start a process");
  if (process == 0) become(child);
  failure.write.reset();
  Launched launched{.process = process,
                    .handle = {},
                    .input = std::move(input.write),
                    .output = std::move(output.read),
                    .errors = std::move(errors.read)};
  const int error = failure_of(failure.read);
  if (error == 0) {
    launched.handle.reset(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  }
  if (error != 0 || !launched.handle.open()) {
    const int reason = error != 0 ? error : errno;
    ::kill(-process, SIGKILL);
    if (guardian != nullptr) guardian->forget(process);
    reap(process);
    fail(reason, "cannot run /bin/sh");
  }
  return launched;
}

}  // namespace tq::cli
