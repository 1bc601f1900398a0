// Parameters on their way out and rows on their way in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handles.hpp"
#include "quirks.hpp"
#include "tq/statement.hpp"

namespace tq::odbc {

/// Throws Errc::invalid_argument if the arguments do not fit the statement's parameters, or a text
/// has `most_bytes` or more.
void check_arguments(const Statement& statement, std::span<const Argument> arguments,
                     std::size_t most_bytes);

/// Arguments as the ODBC driver takes them. They must outlive the execution, and so must the texts
/// that they were made of.
class Parameters {
 public:
  /// Binds an argument to each placeholder; `order` is Rendered::order. Throws Failure.
  Parameters(SQLHSTMT prepared, const Statement& statement, std::span<const std::size_t> order,
             std::span<const Argument> arguments, const Quirks& quirks);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  ~Parameters();

 private:
  struct Bound {
    SQLLEN length = 0;
    SQLBIGINT number = 0;
    std::vector<SQLWCHAR> wide = {};
    std::string narrow = {};
  };
  // What SQLBindParameter is told of a place beside its position.
  struct Place {
    SQLSMALLINT from = 0;
    SQLSMALLINT to = 0;
    SQLULEN characters = 0;
    SQLPOINTER value = nullptr;
    SQLLEN room = 0;
  };
  enum class Length : std::uint8_t { brief, long_text };
  static Place place_of(Text text, Length length);
  static Place integer(Bound& bound, const Argument& argument, const Quirks& quirks);
  static Place text(Bound& bound, const Argument& argument, const Quirks& quirks);

  SQLHSTMT prepared_;
  std::vector<Bound> bound_;
};

/// A column of the current row as text; nullopt: it is null. Reads `piece` characters first, and
/// what is left after them. Throws Failure.
[[nodiscard]] std::optional<std::string> read_text(SQLHSTMT statement, SQLUSMALLINT column,
                                                   Text text, std::size_t piece = 4096);

/// The declared columns of a result. Throws Errc::failed if it does not have them, and Failure.
[[nodiscard]] Rows read_rows(SQLHSTMT executed, const Statement& statement, Text text);

}  // namespace tq::odbc
