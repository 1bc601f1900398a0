// A network between a client and a server that can lose answers.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace tq::mysql_driver {

/// Listens on a port of its own and passes one connection on to a server.
class Relay {
 public:
  /// `host` is where it listens: 127.0.0.1 or ::1. Throws std::runtime_error.
  Relay(const std::string& host, const std::string& server, int port);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  [[nodiscard]] int port() const noexcept { return port_; }

  /// From now on the server's answers do not arrive.
  void go_silent() noexcept { silent_ = true; }

  /// From now on the server's answers do not arrive, and the first one ends the connection.
  void lose_next_answer() noexcept { losing_ = true; }

 private:
  void serve(const std::string& server, int port);
  /// False when the connection is at its end.
  bool pass(int from, int to, const std::atomic<bool>* swallowed);

  std::atomic<bool> silent_ = false;
  std::atomic<bool> losing_ = false;
  std::atomic<bool> stopping_ = false;
  int listener_ = -1;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace tq::mysql_driver
