// A progress bar on standard error, on a terminal that can draw one only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tq::cli {

/// One line that is drawn over again, at most ten times a second; gone when the object is.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `total` 0: not known, so no bar. `what`: "1,200 jobs read".
  void show(std::string_view what, std::uint64_t done, std::uint64_t total);

 private:
  void draw(const std::string& line);

  bool drawn_over_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_ = {};
};

/// The text that show() draws: a bar of 30 characters, per cent, `what`.
[[nodiscard]] std::string progress_line(std::string_view what, std::uint64_t done,
                                        std::uint64_t total);

}  // namespace tq::cli
