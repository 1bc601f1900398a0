#include "relay.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

namespace tq::cli {
namespace {

constexpr std::size_t chunk_bytes = 1U << 16U;
constexpr std::size_t longest_line_bytes = 1U << 16U;

// A write to a pipe is not atomic when it is long.
std::mutex& writing() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

int write_whole(int descriptor, std::string_view text) {
  const std::scoped_lock lock{writing()};
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Relay::Relay(Descriptor from, int to, std::size_t keep)
    : from_(std::move(from)), to_(to), keep_(keep) {}

bool Relay::read() {
  std::array<char, chunk_bytes> buffer;
  const ssize_t size = ::read(from_.get(), buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR;
  if (size == 0) {
    from_.reset();
    return false;
  }
  take({buffer.data(), static_cast<std::size_t>(size)});
  return from_.open();
}

void Relay::drain() {
  // A pipe holds 1 MiB at most; a process that left the group could go on writing for ever.
  constexpr int enough = 16;
  for (int i = 0; i < enough && open() && read(); ++i) {
  }
  if (!line_.empty()) pass_on(std::exchange(line_, {}));
}

void Relay::take(std::string_view text) {
  if (keep_ > 0) {
    kept_ += text;
    if (kept_.size() > 2 * keep_) kept_.erase(0, kept_.size() - keep_);
  }
  const std::size_t end = text.rfind('\n');
  if (end != std::string_view::npos) {
    line_ += text.substr(0, end + 1);
    pass_on(std::exchange(line_, std::string{text.substr(end + 1)}));
  } else {
    line_ += text;
  }
  if (line_.size() >= longest_line_bytes) pass_on(std::exchange(line_, {}));
}

void Relay::pass_on(std::string_view text) {
  const int error = write_whole(to_, text);
  if (error == 0) return;
  failure_ = error;
  // What is kept is still worth reading. Else the command's own next write tells it.
  if (keep_ == 0) from_.reset();
}

}  // namespace tq::cli
