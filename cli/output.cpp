#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tq::cli {
namespace {

constexpr std::size_t buffer_bytes = 1U << 16U;
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view plain = "\x1b[0m";

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

bool draws(int descriptor) {
  const std::string_view terminal = environment("TERM");
  return isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb";
}

bool colours(int descriptor) { return draws(descriptor) && environment("NO_COLOR").empty(); }

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string padded(const std::string& cell, std::size_t width, Table::Align align) {
  const std::string blanks(width - std::min(width, characters_of(cell)), ' ');
  return align == Table::Align::left ? cell + blanks : blanks + cell;
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) flush();
}

void Output::line(std::string_view text) {
  buffer_ += text;
  write("\n");
}

void Output::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      const int error = errno;
      buffer_.clear();
      throw OutputError{
          fmt::format("cannot write the results: {}; the command itself was carried out",
                      std::strerror(error))};
    }
  }
  buffer_.clear();
}

bool draws_on_output() { return draws(STDOUT_FILENO); }
bool draws_on_error() { return draws(STDERR_FILENO); }
bool colours_on_output() { return colours(STDOUT_FILENO); }
bool colours_on_error() { return colours(STDERR_FILENO); }

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = characters_of(columns_[i].title);
    for (const auto& cells : rows_) width = std::max(width, characters_of(cells[i]));
    widths.push_back(width);
  }
  std::vector<std::string> lines;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(cell_of(i), widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  };
  add_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& cells : rows_) add_line([&](std::size_t i) { return cells[i]; });
  return lines;
}

void Table::print(Output& output) const {
  bool heading = colours_on_output();
  for (const std::string& line : lines()) {
    output.line(heading ? fmt::format("{}{}{}", bold, line, plain) : line);
    heading = false;
  }
}

std::string printable(std::string_view text) {
  std::string result{text};
  std::ranges::replace_if(
      result, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return result;
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t seen = 0;
  std::size_t cut = 0;  // where the character before the last allowed one ends
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (seen + 1 == characters) cut = i;
    if (++seen > characters) return std::string{text.substr(0, cut)} + "…";
  }
  return std::string{text};
}

}  // namespace tq::cli
