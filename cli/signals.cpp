#include "signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace tq::cli {
namespace {

bool ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

std::optional<int> SignalCount::before(std::chrono::steady_clock::time_point at) {
  constexpr std::chrono::milliseconds one{200};
  if (counted_ == 0) first_ = at;
  if (counted_ > 0 && at < first_ + one) return std::nullopt;
  return counted_++;
}

StopSignals::StopSignals(std::function<void(int, int)> on_signal)
    : on_signal_(std::move(on_signal)) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    if (!ignored(signal)) sigaddset(&set, signal);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  over_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signals_.open() || !over_.open()) {
    throw std::system_error{errno, std::generic_category(), "cannot wait for signals"};
  }
  thread_ = std::thread{[this] { wait(); }};
}

StopSignals::~StopSignals() {
  eventfd_write(over_.get(), 1);
  thread_.join();
}

void StopSignals::wait() {
  SignalCount count;
  while (true) {
    std::array<pollfd, 2> polled{pollfd{signals_.get(), POLLIN, 0}, pollfd{over_.get(), POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
    if (const auto before = count.before(std::chrono::steady_clock::now())) {
      on_signal_(static_cast<int>(info.ssi_signo), *before);
    }
  }
}

}  // namespace tq::cli
