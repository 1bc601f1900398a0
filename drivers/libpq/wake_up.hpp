// Waiting for NOTIFY.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <string>
#include <vector>

#include "tq/connection.hpp"

namespace tq::libpq {

/// Waits on the connection's socket, and on a pipe for interrupt(). The payload of a notification
/// is the queue's name. https://www.postgresql.org/docs/current/libpq-notify.html
class NotificationWakeUp final : public WakeUp {
 public:
  /// `connection` must outlive it. Throws Errc::failed without descriptors.
  explicit NotificationWakeUp(PGconn* connection);
  ~NotificationWakeUp() override;
  NotificationWakeUp(const NotificationWakeUp&) = delete;
  NotificationWakeUp& operator=(const NotificationWakeUp&) = delete;

  [[nodiscard]] std::vector<std::string> wait(Duration timeout) override;
  void interrupt() noexcept override;

 private:
  [[nodiscard]] std::vector<std::string> arrived();
  [[nodiscard]] bool interrupted() noexcept;

  PGconn* connection_;
  std::array<int, 2> pipe_{-1, -1};  // read end, write end
};

}  // namespace tq::libpq
