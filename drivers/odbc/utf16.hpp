// Text as ODBC's wide functions take it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"

namespace tq::odbc {

// unixODBC can be built with characters of four bytes, which no ODBC driver of a distribution is.
static_assert(sizeof(SQLWCHAR) == 2);

/// Without a terminator. Throws Errc::invalid_argument if `text` is not UTF-8.
[[nodiscard]] std::vector<SQLWCHAR> to_utf16(std::string_view text);

/// Throws Errc::failed for half of a surrogate pair.
[[nodiscard]] std::string to_utf8(const std::vector<SQLWCHAR>& text);

}  // namespace tq::odbc
