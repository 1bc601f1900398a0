// Connection strings: "Driver=SQLite3;Database=jobs.db;".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tq::odbc {

struct Keyword {
  std::string name;
  std::string value;
};
using Keywords = std::vector<Keyword>;

/// With its semicolon, and the value in braces if it has to be.
/// https://learn.microsoft.com/en-us/sql/odbc/reference/syntax/sqldriverconnect-function
[[nodiscard]] std::string written(const Keyword& keyword);

/// The names of all keywords. Throws Errc::invalid_argument, without any value.
[[nodiscard]] std::vector<std::string> names_in(std::string_view connection_string);

/// Names of keywords are compared without regard to case.
[[nodiscard]] bool same_name(std::string_view one, std::string_view other);

}  // namespace tq::odbc
