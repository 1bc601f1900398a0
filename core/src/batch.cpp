#include "batch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tq {
namespace {

void append(std::string& out, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    append_json_text(out, *text);
  } else {
    out += "null";
  }
}

}  // namespace

// A worker says thousands of these a second, and hardly any needs an escape.
void append_json_text(std::string& out, std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, plain)) {
    out.append("\"").append(text).append("\"");
  } else {
    out += nlohmann::json(text).dump();
  }
}

std::string to_json(const Rows& rows, std::span<const Field> columns) {
  std::string array = "[";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    array += r == 0 ? "{" : ",{";
    bool first = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].name == "payload") continue;
      array.append(first ? "\"" : ",\"").append(columns[c].name).append("\":");
      append(array, rows[r][c]);
      first = false;
    }
    array += '}';
  }
  return array + "]";
}

void Batches::add(const nlohmann::json& row, Place place) {
  add(std::string_view{row.dump()}, place);
}

void Batches::add(std::string_view text, Place place) {
  const bool full = rows_ == max_batch_rows || open_.size() + text.size() + 2 > max_batch_bytes;
  if (rows_ > 0 && (full || place == Place::new_batch)) {
    done_.push_back(std::move(open_) + "]");
    open_.clear();
    rows_ = 0;
  }
  open_ += rows_ == 0 ? '[' : ',';
  open_ += text;
  ++rows_;
}

std::vector<std::string> Batches::take() {
  if (rows_ > 0) done_.push_back(std::move(open_) + "]");
  open_.clear();
  rows_ = 0;
  return std::move(done_);
}

}  // namespace tq
