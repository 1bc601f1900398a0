#include "quirks.hpp"

#include <algorithm>
#include <array>

#include "servers/oracle.hpp"

namespace tq::odbc {
namespace {

// Oracle's has no 64-bit integers, and its server takes no more than 4,000 bytes for a VARCHAR2 in
// a statement. What is short here stays below that even where each byte becomes four.
// https://docs.oracle.com/en/database/oracle/oracle-database/18/unxar/using-oracle-ODBC-driver.html
constexpr Quirks oracle_called(std::string_view library) {
  return {.library = library,
          .text = Text::utf16,  // else the environment's NLS_LANG would decide
          .cancel = Cancel::statement,
          .numbers_are_the_servers = true,
          .integers = Integers::digits,
          .short_bytes = servers::oracle_short_bytes,
          .converts_in_place = true};
}

constexpr std::array known{
    // Its native errors are its own, the same for all that a server refuses.
    Quirks{"psqlodbc", Text::utf8, Cancel::statement, false},
    // SQLCancel takes a statement that another thread is just about to run for an idle one, and
    // closes it under that thread; while one runs, it unlocks a mutex that it has not locked.
    Quirks{"libmaodbc", Text::utf8, Cancel::kill, true},
    // SQLCancel closes the statement under the thread that runs it, but it interrupts the whole
    // connection first.
    Quirks{"sqlite3odbc", Text::utf8, Cancel::beside, true},
    Quirks{"libsqlite3odbc", Text::utf8, Cancel::beside, true},
    // It calls itself so on Linux too.
    oracle_called("SQORA32"),
    oracle_called("libsqora"),
};

// What the standard calls for: SQL_C_CHAR is text in the application's locale.
constexpr Quirks any{"", Text::utf16, Cancel::statement, true};

}  // namespace

const Quirks& quirks_of(std::string_view library) noexcept {
  const auto* const found = std::ranges::find_if(
      known, [library](const Quirks& quirks) { return library.starts_with(quirks.library); });
  return found == known.end() ? any : *found;
}

}  // namespace tq::odbc
