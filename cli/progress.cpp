#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "message.hpp"
#include "output.hpp"

namespace tq::cli {
namespace {

constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::chrono::milliseconds pause{100};

}  // namespace

std::string progress_line(std::string_view what, std::uint64_t done, std::uint64_t total) {
  if (total == 0) return std::string{what};
  constexpr std::size_t width = 30;
  const double share = static_cast<double>(std::min(done, total)) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return fmt::format("[{:-<30}] {:3.0f} %  {}", std::string(filled, '#'), share * 100, what);
}

Progress::Progress() : drawn_over_(draws_on_error()) {}

Progress::~Progress() {
  if (drawn_) draw("");
}

void Progress::show(std::string_view what, std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!drawn_over_ || now < next_) return;
  next_ = now + pause;
  draw(progress_line(what, done, total));
}

void Progress::draw(const std::string& line) {
  drawn_ = true;
  write_message(std::string{erase_line} + line);
}

}  // namespace tq::cli
