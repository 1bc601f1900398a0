// Input line by line, from a file or standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <string>
#include <string_view>

namespace tq::cli {

/// Reads lines of any length without their line ends ("\n" or "\r\n"), and passes over empty ones.
class LineReader {
 public:
  /// A file's name, or "-" for standard input. Throws UsageError.
  explicit LineReader(const std::string& name);

  /// The next line that is not blank, or false at the end. Throws UsageError when reading fails.
  bool next(std::string& line);

  /// Of the line that next() gave last, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// 0 where it is not known.
  [[nodiscard]] std::uint64_t bytes_total() const noexcept { return bytes_total_; }

 private:
  std::string name_;
  std::ifstream file_;
  std::istream* input_ = nullptr;
  std::size_t number_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_total_ = 0;
};

/// Calls `use` for each line; a UsageError from it is given the line's number and thrown on.
void for_each_line(LineReader& reader, const std::function<void(const std::string&)>& use);

}  // namespace tq::cli
