// What has to be known of an ODBC driver beside the standard.
#pragma once

#include <cstdint>
#include <string_view>

namespace tq::odbc {

/// How text goes to an ODBC driver and comes back.
enum class Text : std::uint8_t {
  utf8,   ///< SQL_C_CHAR: the ODBC driver takes the bytes as they are
  utf16,  ///< SQL_C_WCHAR
};

/// How a statement is cancelled from another thread.
enum class Cancel : std::uint8_t {
  statement,  ///< SQLCancel on its handle
  beside,     ///< SQLCancel on another handle of the connection: it would free what is in use
  kill,       ///< a KILL on another connection: SQLCancel would free what is in use
};

struct Quirks {
  std::string_view library;  ///< how the name of its library begins
  Text text;
  Cancel cancel;
  /// The native error is the server's own number.
  bool numbers_are_the_servers;
};

/// By SQL_DRIVER_NAME: "psqlodbcw.so". An ODBC driver that is not known keeps to the standard.
[[nodiscard]] const Quirks& quirks_of(std::string_view library) noexcept;

}  // namespace tq::odbc
