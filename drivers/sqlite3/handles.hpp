// SQLite's handles, each with its end.
#pragma once

#include <sqlite3.h>

#include <memory>

namespace tq::sqlite3_driver {

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

}  // namespace tq::sqlite3_driver
