#include "message.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "output.hpp"
#include "relay.hpp"

namespace tq::cli {

// fmt::print() throws where this does nothing.
void write_message(std::string_view text) noexcept {
  static_cast<void>(write_whole(STDERR_FILENO, text));
}

void tell(std::string_view line) { write_message(fmt::format("{}\n", line)); }

void report(std::string_view message) {
  const auto style = colours_on_error() ? fmt::fg(fmt::terminal_color::red) : fmt::text_style{};
  tell(fmt::format("{} {}", fmt::format(style, "tq:"), message));
}

}  // namespace tq::cli
