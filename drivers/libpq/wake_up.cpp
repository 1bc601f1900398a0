#include "wake_up.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "error.hpp"

namespace tq::libpq {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeNotification {
  void operator()(PGnotify* notification) const noexcept { PQfreemem(notification); }
};

// Rounded up, or the last millisecond would be spent in a busy loop.
int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

NotificationWakeUp::NotificationWakeUp(PGconn* connection) : connection_(connection) {
  if (pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error{Errc::failed, "no file descriptor left to wait for announcements with"};
  }
}

NotificationWakeUp::~NotificationWakeUp() {
  for (const int end : pipe_) close(end);
}

std::vector<std::string> NotificationWakeUp::wait(Duration timeout) {
  const auto end = Clock::now() + timeout;
  while (true) {
    auto queues = arrived();
    if (!queues.empty() || interrupted() || Clock::now() >= end) return queues;
    std::array<pollfd, 2> waited{{{PQsocket(connection_), POLLIN, 0}, {pipe_[0], POLLIN, 0}}};
    if (poll(waited.data(), waited.size(), milliseconds_until(end)) < 0 && errno != EINTR) {
      throw Error{Errc::connection_lost, "waiting for announcements: poll failed"};
    }
  }
}

void NotificationWakeUp::interrupt() noexcept {
  const char any = 0;
  // A full pipe is as good: there is something to read.
  [[maybe_unused]] const auto written = write(pipe_[1], &any, 1);
}

std::vector<std::string> NotificationWakeUp::arrived() {
  if (PQconsumeInput(connection_) == 0) throw lost(connection_, "listen");
  std::vector<std::string> queues;
  while (const auto notification =
             std::unique_ptr<PGnotify, FreeNotification>{PQnotifies(connection_)}) {
    queues.emplace_back(notification->extra);
  }
  return queues;
}

bool NotificationWakeUp::interrupted() noexcept {
  std::array<char, 64> bytes{};
  bool any = false;
  while (read(pipe_[0], bytes.data(), bytes.size()) > 0) any = true;
  return any;
}

}  // namespace tq::libpq
