#include "tq/sqlite3.hpp"

#include <fmt/format.h>

#include "database.hpp"
#include "tq/error.hpp"

namespace tq::cli {
namespace {

std::unique_ptr<Connection> open(const OpenRequest& request) {
  if (request.access == Access::create) {
    return SqliteConnection::open(request.url, request.session);
  }
  // A misspelt path must not leave an empty database behind.
  try {
    return SqliteConnection::open(with_parameter(request.url, "mode", "rw"), request.session);
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    throw Error{error.details(), fmt::format("{} (A new database is made by: tq init --db '{}')",
                                             error.what(), redacted(request.url))};
  }
}

}  // namespace

DriverEntry sqlite3_driver() {
  return {.name = "sqlite3", .version = SqliteConnection::client_version(), .open = &open};
}

}  // namespace tq::cli
