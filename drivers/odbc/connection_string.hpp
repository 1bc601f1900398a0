// Connection strings: "Driver=SQLite3;Database=jobs.db;".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tq::odbc {

struct Keyword {
  std::string name;
  std::string value;
};
using Keywords = std::vector<Keyword>;

/// Whose braces an ODBC driver takes off again.
enum class Braces : std::uint8_t {
  any_value,
  password_only,  ///< psqlodbc, which without them takes % and + in it for a URL's
};

/// With its semicolon, and the value in braces if it has to be. Throws Errc::invalid_argument for
/// one that cannot be said.
/// https://learn.microsoft.com/en-us/sql/odbc/reference/syntax/sqldriverconnect-function
[[nodiscard]] std::string written(const Keyword& keyword, Braces braces);

/// The names of all keywords. Throws Errc::invalid_argument, without any value.
[[nodiscard]] std::vector<std::string> names_in(std::string_view connection_string);

/// Names of keywords are compared without regard to case.
[[nodiscard]] bool same_name(std::string_view one, std::string_view other);

}  // namespace tq::odbc
