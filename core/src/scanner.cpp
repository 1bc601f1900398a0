#include "scanner.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tq/error.hpp"

namespace tq {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Scanner {
 public:
  Scanner(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  std::vector<ScannedPiece> scan() {
    while (at_ < text_.size()) step();
    flush();
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    if (looking_at("--")) return line_comment();
    if (looking_at("/*")) return block_comment();
    if (c == ':') return colon();
    if (c == '?' || c == '#' || c == '\\') refuse(std::string{c});
    sql_ += c;
    ++at_;
  }

  // A doubled quote inside closes and opens again, which gives the same text.
  void quoted(char quote) {
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("an open quote");
    sql_ += text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
  }

  void line_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void block_comment() {
    const auto end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) refuse("an open comment");
    if (text_.substr(at_ + 2, end - at_ - 2).find("/*") != std::string_view::npos) {
      refuse("a nested comment");
    }
    const auto comment = text_.substr(at_, end + 2 - at_);
    if (comment.starts_with("/*+")) {
      hint(comment);
    } else {
      sql_ += ' ';
    }
    at_ = end + 2;
  }

  // A client library may look for parameters and quotes in it.
  void hint(std::string_view comment) {
    if (comment.find_first_of(":?#'\"\\") != std::string_view::npos) refuse("a mark in a hint");
    sql_ += comment;
  }

  void colon() {
    if (looking_at("::")) refuse("::");
    if (looking_at(":=")) refuse(":=");
    auto end = at_ + 1;
    if (end == text_.size() || !starts_word(text_[end])) refuse("a single colon");
    while (end < text_.size() && in_word(text_[end])) ++end;
    flush();
    pieces_.push_back({std::string{text_.substr(at_ + 1, end - at_ - 1)}, true});
    at_ = end;
  }

  void flush() {
    if (!sql_.empty()) pieces_.push_back({std::exchange(sql_, {}), false});
  }

  bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error{Errc::invalid_argument,
                "statement " + std::string{name_} + ": " + what +
                    " would be misread by some client library; see sql/README.md"};
  }

  std::string_view name_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string sql_;
  std::vector<ScannedPiece> pieces_;
};

}  // namespace

std::vector<ScannedPiece> scan(std::string_view name, std::string_view text) {
  return Scanner{name, text}.scan();
}

}  // namespace tq
