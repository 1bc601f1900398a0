#include "values.hpp"

#include <string>

#include "tq/error.hpp"

namespace tq::sqlite3_driver {
namespace {

int bind(sqlite3_stmt* prepared, int place, const Argument& argument) noexcept {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) {
    return sqlite3_bind_int64(prepared, place, *number);
  }
  if (const auto* text = std::get_if<std::string_view>(&argument)) {
    // A null pointer would bind NULL instead of the empty text.
    return sqlite3_bind_text64(prepared, place, text->empty() ? "" : text->data(), text->size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  return sqlite3_bind_null(prepared, place);
}

[[noreturn]] void wrong_type(const Statement& statement, const Field& field) {
  throw Error{
      ErrorDetails{.code = Errc::failed, .statement = statement.name()},
      "sqlite (" + statement.name() + "): column " + field.name +
          " does not hold what it is declared to hold; do the tables belong to this version?"};
}

Value read(sqlite3_stmt* prepared, int column, const Statement& statement, const Field& field) {
  const int found = sqlite3_column_type(prepared, column);
  if (found == SQLITE_NULL) return std::monostate{};
  if (field.type == Type::int64 && found == SQLITE_INTEGER) {
    return std::int64_t{sqlite3_column_int64(prepared, column)};
  }
  if (field.type == Type::text && (found == SQLITE_TEXT || found == SQLITE_INTEGER)) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
    if (text == nullptr) throw std::bad_alloc{};
    return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(prepared, column)));
  }
  wrong_type(statement, field);
}

}  // namespace

int bind_all(sqlite3_stmt* prepared, std::span<const std::size_t> order,
             std::span<const Argument> arguments) noexcept {
  int place = 0;
  for (const auto index : order) {
    const int result = bind(prepared, ++place, arguments[index]);
    if (result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

void read_row(sqlite3_stmt* prepared, const Statement& statement, Rows& rows) {
  int column = 0;
  for (const auto& field : statement.columns()) {
    rows.push(read(prepared, column++, statement, field));
  }
}

}  // namespace tq::sqlite3_driver
