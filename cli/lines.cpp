#include "lines.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "usage_error.hpp"

namespace tq::cli {

LineReader::LineReader(const std::string& name) : name_(name) {
  if (name == "-") {
    name_ = "standard input";
    input_ = &std::cin;
    return;
  }
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) {
    throw UsageError{fmt::format("cannot read '{}': it is a directory", name)};
  }
  file_.open(name, std::ios::binary);
  if (!file_) throw UsageError{fmt::format("cannot read '{}': {}", name, std::strerror(errno))};
  input_ = &file_;
  const std::uintmax_t size = std::filesystem::file_size(name, error);
  bytes_total_ = error ? 0 : size;
}

bool LineReader::next(std::string& line) {
  while (std::getline(*input_, line)) {
    ++number_;
    bytes_read_ += line.size() + 1;
    if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) return true;
  }
  if (input_->bad()) throw UsageError{fmt::format("cannot read {} to its end", name_)};
  return false;
}

void for_each_line(LineReader& reader, const std::function<void(const std::string&)>& use) {
  std::string line;
  while (reader.next(line)) {
    try {
      use(line);
    } catch (const UsageError& error) {
      throw UsageError{fmt::format("line {}: {}", reader.number(), error.what())};
    }
  }
}

}  // namespace tq::cli
