#include "supervisor.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "places.hpp"

namespace tq::conformance {
namespace {

constexpr int signalled = 128;  // as shells say it

struct Ending {
  int code = 0;
  int interruption = 0;  // the signal that this process got
};

bool ended(pid_t process) {
  siginfo_t info{};
  // The process stays a zombie, so that its number, and its group's, is nobody else's yet.
  return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process;
}

Ending wait_for(pid_t process, const sigset_t& signals) {
  Ending ending;
  while (!ended(process)) {
    int signal = 0;
    ::sigwait(&signals, &signal);
    if (signal == SIGCHLD) continue;
    ending.interruption = signal;
    ::kill(-process, SIGKILL);
  }
  ::kill(-process, SIGKILL);  // what it has started
  int status = 0;
  ::waitpid(process, &status, 0);
  if (WIFEXITED(status)) {
    ending.code = WEXITSTATUS(status);
  } else {
    ending.code = 1;
    if (ending.interruption == 0) {
      std::cerr << "tq-conformance: the tests were ended by: " << ::strsignal(WTERMSIG(status))
                << '\n';
    }
  }
  return ending;
}

}  // namespace

int supervise(const std::function<int()>& tests) {
  begin_journal();
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t signals{};
  sigset_t before{};
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const auto process = ::fork();
  if (process == -1) throw std::runtime_error{"no process can be started"};
  if (process == 0) {
    ::setpgid(0, 0);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    std::exit(tests());
  }
  ::setpgid(process, process);  // here too: whoever comes first
  const auto ending = wait_for(process, signals);
  if (ending.interruption != 0) {
    std::cerr << "\ntq-conformance: interrupted; removing what the tests made\n";
  }
  const int left = remove_leftovers();
  if (ending.interruption != 0) return signalled + ending.interruption;
  return ending.code == 0 && left > 0 ? 1 : ending.code;
}

}  // namespace tq::conformance
