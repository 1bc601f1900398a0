#include "tq/soci.hpp"

#include <fmt/format.h>

#include "database.hpp"
#include "tq/error.hpp"

namespace tq::cli {
namespace {

std::unique_ptr<Connection> open(const OpenRequest& request) {
  if (!request.url.starts_with("sqlite:")) {
    return SociConnection::open(with_password(request.url, request.password), request.session);
  }
  if (request.access == Access::create) return SociConnection::open(request.url, request.session);
  // A misspelt path must not leave an empty database behind.
  try {
    return SociConnection::open(with_parameter(request.url, "mode", "rw"), request.session);
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    throw Error{error.details(), fmt::format("{} (A new database is made by: tq init --db '{}')",
                                             error.what(), redacted(request.url))};
  }
}

}  // namespace

DriverEntry soci_driver() {
  return {.name = "soci", .version = SociConnection::client_version(), .open = &open};
}

}  // namespace tq::cli
