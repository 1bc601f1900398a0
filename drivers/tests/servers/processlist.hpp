// Where MySQL and MariaDB list their sessions.
#pragma once

#include <string>

namespace tq {

/// Answers 1 on MariaDB and 0 on MySQL.
inline const std::string is_mariadb = "SELECT VERSION() LIKE '%MariaDB%'";

/// The table, which has the columns `id` and `state`. MySQL's older one fails while any session
/// runs a statement with characters beyond utf8mb3; MariaDB has no other.
/// https://dev.mysql.com/doc/refman/en/performance-schema-processlist-table.html
inline std::string processlist(bool mariadb) {
  return mariadb ? "information_schema.processlist" : "performance_schema.processlist";
}

}  // namespace tq
