#include "quirks.hpp"

#include <algorithm>
#include <array>

namespace tq::odbc {
namespace {

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
