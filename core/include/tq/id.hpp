// The identity of a job: a UUID, version 7 (RFC 9562) when this library makes it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tq {

/// A job's identity. It never changes: not on retry, not on requeue, not when the job moves to
/// another engine. Ordered as its 16 bytes are, which for version 7 is the order of creation.
class JobId {
 public:
  /// The nil UUID, which no job has.
  JobId() = default;

  /// A new UUIDv7. Strictly increasing within a process, whatever the wall clock does, so the jobs
  /// of one bulk call sort in input order. Any thread may call it.
  [[nodiscard]] static JobId generate();

  /// Reads the 36-character form, in either case. Anything else gives nullopt.
  [[nodiscard]] static std::optional<JobId> parse(std::string_view text);

  /// The 36-character form, in lower case.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool nil() const noexcept { return *this == JobId{}; }
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }

  friend auto operator<=>(const JobId&, const JobId&) = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

}  // namespace tq
