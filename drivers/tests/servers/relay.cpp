#include "relay.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace tq::mysql_driver {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
    throw std::runtime_error{"the relay needs a numeric address, not " + host};
  }
  return {found, &freeaddrinfo};
}

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, 8> port{};
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (getsockname(socket, any, &size) != 0 ||
      getnameinfo(any, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) != 0) {
    throw std::runtime_error{"the relay's port is not known"};
  }
  return std::stoi(port.data());
}

}  // namespace

Relay::Relay(const std::string& host, const std::string& server, int port) {
  const auto address = resolve(host, 0);
  listener_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || bind(listener_, address->ai_addr, address->ai_addrlen) != 0 ||
      listen(listener_, 1) != 0) {
    throw std::runtime_error{"the relay cannot listen on " + host};
  }
  port_ = port_of(listener_);
  thread_ = std::jthread{[this, server, port] { serve(server, port); }};
}

Relay::~Relay() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);  // ends accept()
  thread_.join();
  close(listener_);
}

void Relay::serve(const std::string& server, int port) {
  const int client = accept(listener_, nullptr, nullptr);
  if (client < 0) return;
  const auto address = resolve(server, port);
  const int upstream = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(upstream, address->ai_addr, address->ai_addrlen) == 0) {
    constexpr int look_up_milliseconds = 20;
    std::array<pollfd, 2> both{{{client, POLLIN, 0}, {upstream, POLLIN, 0}}};
    bool open = true;
    while (open && !stopping_) {
      if (poll(both.data(), both.size(), look_up_milliseconds) <= 0) continue;
      if (both[0].revents != 0) open = pass(client, upstream, nullptr);
      if (open && both[1].revents != 0) {
        // Looked at first: an answer that was passed on does not end the connection.
        const bool last = losing_;
        open = pass(upstream, client, &silent_) && !last;
      }
    }
  }
  close(upstream);
  close(client);
}

bool Relay::pass(int from, int to, const std::atomic<bool>* swallowed) {
  std::array<char, 16384> bytes{};
  const auto count = recv(from, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  if (swallowed != nullptr && (*swallowed || losing_)) return true;
  for (ssize_t sent = 0; sent < count;) {
    const auto more =
        send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace tq::mysql_driver
