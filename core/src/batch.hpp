// The JSON arrays in which many rows travel as one parameter.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tq/statement.hpp"

namespace tq {

inline constexpr std::size_t max_batch_rows = 1000;
inline constexpr std::size_t max_batch_bytes = std::size_t{4} << 20U;

/// Appends text, which is UTF-8, as a JSON string.
void append_json_text(std::string& out, std::string_view text);

/// Rows as an array of objects keyed by column name, without the column payload: a payload may be
/// large, and no statement needs it back.
std::string to_json(const Rows& rows, std::span<const Field> columns);

/// Collects rows into arrays of at most max_batch_rows and, unless one row alone is larger,
/// max_batch_bytes.
class Batches {
 public:
  /// Appends a row. `fresh` starts a new batch first.
  enum class Place : std::uint8_t { same_batch, new_batch };
  void add(const nlohmann::json& row, Place place = Place::same_batch);
  /// The same for a row that is JSON text already.
  void add(std::string_view row, Place place = Place::same_batch);

  /// The finished arrays, in order.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::vector<std::string> done_;
  std::string open_;
  std::size_t rows_ = 0;
};

}  // namespace tq
