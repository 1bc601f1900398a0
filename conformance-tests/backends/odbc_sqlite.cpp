// The pair odbc (libsqliteodbc) + sqlite.
#include "odbc.hpp"

namespace tq::conformance {

// libsqliteodbc's own waiting for a lock, which begins after that of PRAGMA busy_timeout, is kept
// short.
Pair odbc_sqlite() {
  return sqlite_with(
      odbc_client({.driver = "SQLite3",
                   .options = "Timeout=1",
                   .scripts = Scripts::one_by_one,
                   .limits = {.announcements = odbc_cannot_wait,
                              .steps = "ODBC does not tell how many steps SQLite has made"}}));
}

}  // namespace tq::conformance
