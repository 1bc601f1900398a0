#include "tq/odbc.hpp"

#include <fmt/format.h>

#include "database.hpp"
#include "tq/error.hpp"

namespace tq::cli {
namespace {

std::unique_ptr<Connection> open(const OpenRequest& request) {
  const bool file = request.url.starts_with("sqlite:");
  if (!file) {
    return OdbcConnection::open(with_password(request.url, request.password), request.session);
  }
  if (request.access == Access::create) return OdbcConnection::open(request.url, request.session);
  // A misspelt path must not leave an empty database behind.
  try {
    return OdbcConnection::open(with_parameter(request.url, "mode", "rw"), request.session);
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    throw Error{error.details(), fmt::format("{} (A new database is made by: tq init --db '{}')",
                                             error.what(), redacted(request.url))};
  }
}

}  // namespace

DriverEntry odbc_driver() {
  return {.name = "odbc", .version = OdbcConnection::client_version(), .open = &open};
}

}  // namespace tq::cli
