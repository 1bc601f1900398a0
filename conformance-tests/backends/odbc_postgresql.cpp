// The pair odbc (psqlodbc) + postgresql.
#include "odbc.hpp"

namespace tq::conformance {

// Without the savepoints that psqlodbc by default sets around each statement, in secret: with them
// a failed statement does not fail the transaction, as the dialect declares it.
Pair odbc_postgresql() {
  return postgresql_with(odbc_client({.driver = "PostgreSQL Unicode",
                                      .options = "Protocol=7.4-0",
                                      .scripts = Scripts::whole,
                                      .limits = {.announcements = odbc_cannot_wait}}));
}

}  // namespace tq::conformance
