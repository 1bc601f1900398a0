#include "batch.hpp"

#include <nlohmann/json.hpp>

namespace tq {
namespace {

nlohmann::json to_json(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* string = std::get_if<std::string>(&value)) return *string;
  return nullptr;
}

}  // namespace

std::string to_json(const Rows& rows, std::span<const Field> columns) {
  auto array = nlohmann::json::array();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    auto object = nlohmann::json::object();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].name != "payload") object[columns[c].name] = to_json(rows[r][c]);
    }
    array.push_back(std::move(object));
  }
  return array.dump();
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
