// What has to be known of an ODBC driver beside the standard.
#pragma once

#include <cstddef>
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

/// How an integer is bound. They are read as text everywhere.
enum class Integers : std::uint8_t {
  bigint,  ///< SQL_C_SBIGINT
  digits,  ///< SQL_C_CHAR, for a NUMERIC: the ODBC driver has no integers of 64 bits
};

struct Quirks {
  std::string_view library;  ///< how the name of its library begins
  Text text;
  Cancel cancel;
  /// The native error is the server's own number.
  bool numbers_are_the_servers;
  Integers integers = Integers::bigint;
  /// A text of at most this many bytes of UTF-8 is bound as a VARCHAR, which may be compared; a
  /// longer one as a LONGVARCHAR, which may only be stored. 0: it makes no difference.
  std::size_t short_bytes = 0;
  /// It may convert a long text where it lies, so it gets a copy with room for four bytes a
  /// character.
  bool converts_in_place = false;
};

/// By SQL_DRIVER_NAME: "psqlodbcw.so". An ODBC driver that is not known keeps to the standard.
[[nodiscard]] const Quirks& quirks_of(std::string_view library) noexcept;

}  // namespace tq::odbc
