// The servers of MySQL and MariaDB that the environment names.
#pragma once

#include <string>
#include <vector>

namespace tq {

/// The URLs in TQ_TEST_MYSQL_URL, which are separated by blanks.
[[nodiscard]] std::vector<std::string> servers();

}  // namespace tq
