#include "error.hpp"

#include <sqlite3.h>

namespace tq::sqlite3_driver {

Error last_error(sqlite3* database, const Scene& scene) {
  return error_of(sqlite3_extended_errcode(database), sqlite3_errmsg(database), scene);
}

}  // namespace tq::sqlite3_driver
