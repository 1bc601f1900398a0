#include "tq/id.hpp"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <random>

namespace tq {
namespace {

// RFC 9562, section 6.2: 48 bits of milliseconds, then a counter of 12 + 14 bits that starts at
// random below half of its range and is carried into the milliseconds when it is full.
class Generator {
 public:
  std::array<std::uint8_t, 16> next() {
    const std::lock_guard lock{mutex_};
    // A forked child must not go on with its parent's random numbers.
    if (const auto pid = ::getpid(); pid != pid_) {
      pid_ = pid;
      random_ = seeded();
    }
    const auto now =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
    if (now > millis_) {
      millis_ = now;
      counter_ = random_() & (counter_range / 2 - 1);
    } else if (++counter_ == counter_range) {
      ++millis_;
      counter_ = 0;
    }
    return layout(random_());
  }

 private:
  static constexpr std::uint64_t counter_range = 1U << 26U;

  static std::mt19937_64 seeded() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(),
                       device(), device(), device(), device()};
    return std::mt19937_64{seed};
  }

  std::array<std::uint8_t, 16> layout(std::uint64_t random) const {
    const std::uint64_t high = (millis_ << 16U) | 0x7000U | (counter_ >> 14U);
    const std::uint64_t low =
        (std::uint64_t{2} << 62U) | ((counter_ & 0x3FFFU) << 48U) | (random & 0xFFFF'FFFF'FFFFU);
    std::array<std::uint8_t, 16> bytes{};
    for (unsigned i = 0; i < 8; ++i) {
      bytes[i] = static_cast<std::uint8_t>(high >> (56U - 8U * i));
      bytes[8U + i] = static_cast<std::uint8_t>(low >> (56U - 8U * i));
    }
    return bytes;
  }

  std::mutex mutex_;
  pid_t pid_ = 0;
  std::mt19937_64 random_;
  std::uint64_t millis_ = 0;
  std::uint64_t counter_ = 0;
};

bool dash_at(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

JobId JobId::generate() {
  static Generator generator;
  JobId id;
  id.bytes_ = generator.next();
  return id;
}

std::optional<JobId> JobId::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  JobId id;
  std::size_t digits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (dash_at(at)) {
      if (text[at] != '-') return std::nullopt;
      continue;
    }
    const int digit = hex_digit(text[at]);
    if (digit < 0) return std::nullopt;
    auto& byte = id.bytes_[digits / 2];
    byte = static_cast<std::uint8_t>(byte * 16 + digit);
    ++digits;
  }
  return id;
}

std::string JobId::text() const {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  out.reserve(36);
  for (const auto byte : bytes_) {
    if (dash_at(out.size())) out += '-';
    out += hex[byte >> 4U];
    out += hex[byte & 0xFU];
  }
  return out;
}

}  // namespace tq
