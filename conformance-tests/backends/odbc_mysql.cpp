// The pair odbc (MariaDB Connector/ODBC) + mysql.
#include "odbc.hpp"

namespace tq::conformance {

Pair odbc_mysql() {
  return mysql_with(odbc_client(
      {.driver = "MariaDB Unicode", .options = "CHARSET=utf8mb4", .scripts = Scripts::one_by_one}));
}

}  // namespace tq::conformance
