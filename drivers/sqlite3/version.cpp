#include <sqlite3.h>

#include "tq/sqlite3.hpp"

namespace tq {

std::string SqliteConnection::client_version() {
  return std::string{"SQLite "} + sqlite3_libversion();
}

}  // namespace tq
