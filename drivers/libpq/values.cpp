#include "values.hpp"

#include <charconv>
#include <string>
#include <string_view>

#include "tq/error.hpp"

namespace tq::libpq {
namespace {

// https://www.postgresql.org/docs/current/catalog-pg-type.html: fixed since the first releases.
constexpr Oid oid_int8 = 20;
constexpr Oid oid_text = 25;
constexpr int binary = 1;

std::array<char, 8> big_endian(std::int64_t number) {
  std::array<char, 8> bytes{};
  auto bits = static_cast<std::uint64_t>(number);
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, bits >>= 8U) {
    *byte = static_cast<char>(bits & 0xFFU);
  }
  return bytes;
}

bool fits(const Field& field, const Argument& argument) {
  if (std::holds_alternative<std::monostate>(argument)) return true;
  return std::holds_alternative<std::int64_t>(argument) == (field.type == Type::int64);
}

Value read_value(const Statement& statement, const Field& field, std::string_view text) {
  if (field.type == Type::text) return std::string{text};
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    throw Error{Errc::failed, statement.name() + ": column " + field.name + " is not an integer"};
  }
  return number;
}

}  // namespace

Parameters::Parameters(const Statement& statement, std::span<const Argument> arguments)
    : types_(parameter_types(statement)), formats_(arguments.size(), binary) {
  const auto fields = statement.parameters();
  if (arguments.size() != fields.size()) {
    throw Error{Errc::invalid_argument, statement.name() + ": it takes " +
                                            std::to_string(fields.size()) + " arguments, not " +
                                            std::to_string(arguments.size())};
  }
  integers_.reserve(arguments.size());  // values_ points into it
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!fits(fields[i], arguments[i])) {
      throw Error{Errc::invalid_argument,
                  statement.name() + ": the argument for " + fields[i].name + " has another type"};
    }
    add(arguments[i]);
  }
}

void Parameters::add(const Argument& argument) {
  std::string_view bytes;
  if (const auto* number = std::get_if<std::int64_t>(&argument)) {
    const auto& stored = integers_.emplace_back(big_endian(*number));
    bytes = {stored.data(), stored.size()};
  } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
    bytes = text->data() == nullptr ? std::string_view{""} : *text;  // a null pointer means NULL
  }
  values_.push_back(bytes.data());
  lengths_.push_back(static_cast<int>(bytes.size()));
}

std::vector<Oid> parameter_types(const Statement& statement) {
  std::vector<Oid> types;
  types.reserve(statement.parameters().size());
  for (const auto& field : statement.parameters()) {
    types.push_back(field.type == Type::int64 ? oid_int8 : oid_text);
  }
  return types;
}

Rows read_rows(const Statement& statement, const PGresult* result) {
  const auto columns = statement.columns();
  Rows rows{columns.size()};
  if (columns.empty()) return rows;
  if (PQnfields(result) < static_cast<int>(columns.size())) {
    throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
  }
  for (int row = 0; row < PQntuples(result); ++row) {
    int column = 0;
    for (const auto& field : columns) {
      if (PQgetisnull(result, row, column) != 0) {
        rows.push(std::monostate{});
      } else {
        const auto length = static_cast<std::size_t>(PQgetlength(result, row, column));
        rows.push(read_value(statement, field, {PQgetvalue(result, row, column), length}));
      }
      ++column;
    }
  }
  return rows;
}

}  // namespace tq::libpq
