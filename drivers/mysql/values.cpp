#include "values.hpp"

#include <charconv>
#include <string>
#include <string_view>

#include "tq/error.hpp"

namespace tq::mysql_driver {
namespace {

bool fits(const Field& field, const Argument& argument) {
  if (std::holds_alternative<std::monostate>(argument)) return true;
  return std::holds_alternative<std::int64_t>(argument) == (field.type == Type::int64);
}

void check_size(const Statement& statement, const Field& field, const Argument& argument,
                std::size_t packet_bytes) {
  const auto* const text = std::get_if<std::string_view>(&argument);
  if (text == nullptr || text->size() < packet_bytes) return;
  throw Error{Errc::invalid_argument,
              statement.name() + ": the argument for " + field.name + " has " +
                  std::to_string(text->size()) + " bytes, but the server's max_allowed_packet is " +
                  std::to_string(packet_bytes) + "; raise it, or send less at once"};
}

void bind(sql::PreparedStatement& prepared, unsigned position, const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) {
    prepared.setInt64(position, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
    prepared.setString(position, sql::SQLString{std::string{*text}});
  } else {
    prepared.setNull(position, 0);  // the type is not looked at
  }
}

// As text, whatever the column's type, so that nothing is rounded or wraps around.
Value read_value(const Statement& statement, const Field& field, const std::string& text) {
  if (field.type == Type::text) return text;
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || rest != end) {
    throw Error{Errc::failed, statement.name() + ": column " + field.name + " is not an integer"};
  }
  return number;
}

}  // namespace

void check_arguments(const Statement& statement, std::span<const Argument> arguments,
                     std::size_t packet_bytes) {
  const auto fields = statement.parameters();
  if (arguments.size() != fields.size()) {
    throw Error{Errc::invalid_argument, statement.name() + ": it takes " +
                                            std::to_string(fields.size()) + " arguments, not " +
                                            std::to_string(arguments.size())};
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!fits(fields[i], arguments[i])) {
      throw Error{Errc::invalid_argument,
                  statement.name() + ": the argument for " + fields[i].name + " has another type"};
    }
    check_size(statement, fields[i], arguments[i], packet_bytes);
  }
}

void bind_all(sql::PreparedStatement& prepared, std::span<const std::size_t> order,
              std::span<const Argument> arguments) {
  unsigned position = 0;
  for (const auto index : order) bind(prepared, ++position, arguments[index]);
}

Rows read_rows(const Statement& statement, sql::ResultSet& result) {
  const auto columns = statement.columns();
  Rows rows{columns.size()};
  if (result.getMetaData()->getColumnCount() < columns.size()) {
    throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
  }
  while (result.next()) {
    unsigned position = 0;
    for (const auto& field : columns) {
      ++position;
      if (result.isNull(position)) {
        rows.push(std::monostate{});
      } else {
        rows.push(read_value(statement, field, result.getString(position).asStdString()));
      }
    }
  }
  return rows;
}

}  // namespace tq::mysql_driver
