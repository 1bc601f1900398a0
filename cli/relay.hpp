// Passes a command's output on, whole lines at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "descriptor.hpp"

namespace tq::cli {

/// Writes all of `text`, which is not mixed with what others write so meanwhile. Gives errno, or 0.
[[nodiscard]] int write_whole(int descriptor, std::string_view text);

/// Reads a non-blocking pipe and writes what comes to a descriptor of ours, byte for byte, in whole
/// lines, so that the lines of commands that run side by side do not mix. Only a line that is
/// longer than 64 KiB is passed on in parts.
class Relay {
 public:
  /// `from` is a read end; `to` stays open. The last `keep` bytes at least are kept.
  Relay(Descriptor from, int to, std::size_t keep);

  /// -1 once the other end is closed, or nobody reads what is passed on.
  [[nodiscard]] int descriptor() const noexcept { return from_.get(); }
  [[nodiscard]] bool open() const noexcept { return from_.open(); }

  /// Reads once; false if there is nothing more now.
  bool read();
  /// What is in the pipe now, and then the unfinished line.
  void drain();
  /// Why something could not be passed on, as errno; 0: all was.
  [[nodiscard]] int failure() const noexcept { return failure_; }
  [[nodiscard]] const std::string& kept() const noexcept { return kept_; }

 private:
  void take(std::string_view text);
  void pass_on(std::string_view text);

  Descriptor from_;
  int to_;
  std::size_t keep_;
  int failure_ = 0;
  std::string line_;  // the beginning of an unfinished one
  std::string kept_;
};

}  // namespace tq::cli
