// Standard output whose failures are noticed, and tables on it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tq::cli {

/// Results could not be written: a closed pipe, a full disk.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Standard output, buffered. Used by one thread. Throws OutputError.
class Output {
 public:
  void write(std::string_view text);
  void line(std::string_view text);
  /// Until then nothing is certain to have been written.
  void flush();

 private:
  std::string buffer_;
};

/// Whether standard output, or standard error, is a terminal that knows escape codes: one for which
/// TERM is set, and not to "dumb".
[[nodiscard]] bool draws_on_output();
[[nodiscard]] bool draws_on_error();
/// Whether it is, and colours are welcome there.
[[nodiscard]] bool colours_on_output();
[[nodiscard]] bool colours_on_error();

/// Columns under a heading, as wide as their widest cell.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns; control characters are shown as blanks.
  void row(std::vector<std::string> cells);
  /// The heading and the rows.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// With a bold heading on a terminal.
  void print(Output& output) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` fit for a terminal: control characters are replaced by blanks.
[[nodiscard]] std::string printable(std::string_view text);

/// At most `characters` of `text`, the last one an ellipsis where something was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);

}  // namespace tq::cli
