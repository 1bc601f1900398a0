#include "values.hpp"

#include <algorithm>
#include <charconv>

#include "error.hpp"
#include "utf16.hpp"

namespace tq::odbc {
namespace {

bool fits(const Field& field, const Argument& argument) {
  if (std::holds_alternative<std::monostate>(argument)) return true;
  return std::holds_alternative<std::int64_t>(argument) == (field.type == Type::int64);
}

void check_size(const Statement& statement, const Field& field, const Argument& argument,
                std::size_t most_bytes) {
  const auto* const text = std::get_if<std::string_view>(&argument);
  if (text == nullptr || text->size() < most_bytes) return;
  throw Error{Errc::invalid_argument,
              statement.name() + ": the argument for " + field.name + " has " +
                  std::to_string(text->size()) + " bytes, but the server's max_allowed_packet is " +
                  std::to_string(most_bytes) + "; raise it, or send less at once"};
}

// A character that no text has, in a place where nothing was written yet.
template <class Character>
constexpr Character unwritten = static_cast<Character>(~Character{0});

// How many characters stand before the terminator, which is the last that was written. The ODBC
// driver may have stopped early in order not to cut a character in two, and need not say so.
template <class Character>
std::size_t written(const std::vector<Character>& piece) {
  const auto end = std::find_if(piece.rbegin(), piece.rend(),
                                [](Character c) { return c != unwritten<Character>; });
  const auto with_terminator = static_cast<std::size_t>(piece.rend() - end);
  return with_terminator == 0 ? 0 : with_terminator - 1;
}

// https://learn.microsoft.com/en-us/sql/odbc/reference/syntax/sqlgetdata-function
template <class Character>
std::optional<std::vector<Character>> read_characters(SQLHSTMT statement, SQLUSMALLINT column,
                                                      SQLSMALLINT type, std::size_t piece) {
  constexpr std::size_t largest = std::size_t{1} << 20U;
  std::vector<Character> all;
  for (std::size_t room = piece;;) {
    std::vector<Character> buffer(room + 1, unwritten<Character>);
    SQLLEN left = 0;  // bytes, before this call
    const auto result = SQLGetData(statement, column, type, buffer.data(),
                                   static_cast<SQLLEN>(buffer.size() * sizeof(Character)), &left);
    check(result, SQL_HANDLE_STMT, statement);
    if (result == SQL_NO_DATA) return all;  // all of it had been read
    if (left == SQL_NULL_DATA) return std::nullopt;
    const bool known = left != SQL_NO_TOTAL;
    const auto characters = known ? static_cast<std::size_t>(left) / sizeof(Character) : 0;
    const bool whole = known && characters <= room;
    const auto count = whole ? characters : written(buffer);
    all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
    if (whole || (!known && result == SQL_SUCCESS)) return all;
    room = known ? std::min(characters - count, largest) : std::min(room * 2, largest);
  }
}

Value read_value(SQLHSTMT executed, SQLUSMALLINT column, const Statement& statement,
                 const Field& field, Text text) {
  auto read = read_text(executed, column, text);
  if (!read) return std::monostate{};
  if (field.type == Type::text) return std::move(*read);
  // As text, whatever the column's type, so that nothing is rounded or wraps around.
  std::int64_t number = 0;
  const auto* const end = read->data() + read->size();
  const auto [rest, failure] = std::from_chars(read->data(), end, number);
  if (failure != std::errc{} || rest != end) {
    throw Error{Errc::failed, statement.name() + ": column " + field.name + " is not an integer"};
  }
  return number;
}

}  // namespace

void check_arguments(const Statement& statement, std::span<const Argument> arguments,
                     std::size_t most_bytes) {
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
    check_size(statement, fields[i], arguments[i], most_bytes);
  }
}

Parameters::Parameters(SQLHSTMT prepared, const Statement& statement,
                       std::span<const std::size_t> order, std::span<const Argument> arguments,
                       const Quirks& quirks)
    : prepared_(prepared), bound_(order.size()) {
  SQLUSMALLINT position = 0;
  for (const auto index : order) {
    auto& bound = bound_[position];
    const bool number = statement.parameters()[index].type == Type::int64;
    const auto place =
        number ? integer(bound, arguments[index], quirks) : text(bound, arguments[index], quirks);
    check(SQLBindParameter(prepared_, ++position, SQL_PARAM_INPUT, place.from, place.to,
                           place.characters, 0, place.value, place.room, &bound.length),
          SQL_HANDLE_STMT, prepared_);
  }
}

Parameters::~Parameters() { SQLFreeStmt(prepared_, SQL_RESET_PARAMS); }

Parameters::Place Parameters::integer(Bound& bound, const Argument& argument,
                                      const Quirks& quirks) {
  const auto* const number = std::get_if<std::int64_t>(&argument);
  if (number == nullptr) bound.length = SQL_NULL_DATA;
  bound.number = number == nullptr ? 0 : *number;
  if (quirks.integers == Integers::bigint) {
    return {SQL_C_SBIGINT, SQL_BIGINT, 0, &bound.number, 0};
  }
  constexpr SQLULEN most_digits = 19;
  bound.narrow = std::to_string(bound.number);
  if (number != nullptr) bound.length = static_cast<SQLLEN>(bound.narrow.size());
  return {SQL_C_CHAR, SQL_NUMERIC, most_digits, bound.narrow.data(),
          static_cast<SQLLEN>(bound.narrow.size() + 1)};
}

Parameters::Place Parameters::place_of(Text text, Length length) {
  const bool brief = length == Length::brief;
  if (text == Text::utf16 && brief) return {.from = SQL_C_WCHAR, .to = SQL_WVARCHAR};
  if (text == Text::utf16) return {.from = SQL_C_WCHAR, .to = SQL_WLONGVARCHAR};
  if (brief) return {.from = SQL_C_CHAR, .to = SQL_VARCHAR};
  return {.from = SQL_C_CHAR, .to = SQL_LONGVARCHAR};
}

Parameters::Place Parameters::text(Bound& bound, const Argument& argument, const Quirks& quirks) {
  static constexpr char empty = '\0';  // a null pointer may be taken for NULL
  const bool wide = quirks.text == Text::utf16;
  const auto* const words = std::get_if<std::string_view>(&argument);
  const auto bytes = words == nullptr ? 0 : words->size();
  const bool brief = bytes <= quirks.short_bytes && quirks.short_bytes > 0;
  auto place = place_of(quirks.text, brief ? Length::brief : Length::long_text);
  place.value = const_cast<char*>(&empty);
  place.characters = 1;  // none at all is refused by some
  if (words == nullptr) {
    bound.length = SQL_NULL_DATA;
    return place;
  }
  const bool copied = quirks.converts_in_place && !brief;
  if (wide) {
    bound.wide = to_utf16(*words);
    bound.length = static_cast<SQLLEN>(bound.wide.size() * sizeof(SQLWCHAR));
    place.characters = bound.wide.size() + 1;
    bound.wide.resize(copied ? 2 * bound.wide.size() + 1 : bound.wide.size() + 1);
    place.value = bound.wide.data();
    place.room = static_cast<SQLLEN>(bound.wide.size() * sizeof(SQLWCHAR));
  } else if (bytes > 0) {
    bound.length = static_cast<SQLLEN>(bytes);
    place.characters = bytes;
    place.value = const_cast<char*>(words->data());
    place.room = bound.length;
    if (copied) {
      bound.narrow = *words;
      bound.narrow.resize(4 * bytes);
      place.value = bound.narrow.data();
      place.room = static_cast<SQLLEN>(bound.narrow.size());
    }
  }
  return place;
}

std::optional<std::string> read_text(SQLHSTMT statement, SQLUSMALLINT column, Text text,
                                     std::size_t piece) {
  if (text == Text::utf16) {
    const auto wide = read_characters<SQLWCHAR>(statement, column, SQL_C_WCHAR, piece);
    return wide ? std::optional{to_utf8(*wide)} : std::nullopt;
  }
  const auto bytes = read_characters<char>(statement, column, SQL_C_CHAR, piece);
  return bytes ? std::optional{std::string{bytes->begin(), bytes->end()}} : std::nullopt;
}

Rows read_rows(SQLHSTMT executed, const Statement& statement, Text text) {
  const auto columns = statement.columns();
  Rows rows{columns.size()};
  SQLSMALLINT count = 0;
  check(SQLNumResultCols(executed, &count), SQL_HANDLE_STMT, executed);
  if (static_cast<std::size_t>(count) < columns.size()) {
    throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
  }
  for (;;) {
    const auto result = SQLFetch(executed);
    check(result, SQL_HANDLE_STMT, executed);
    if (result == SQL_NO_DATA) return rows;
    SQLUSMALLINT column = 0;
    for (const auto& field : columns) {
      ++column;
      rows.push(read_value(executed, column, statement, field, text));
    }
  }
}

}  // namespace tq::odbc
