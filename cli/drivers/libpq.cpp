#include "tq/libpq.hpp"

#include "database.hpp"

namespace tq::cli {

DriverEntry libpq_driver() {
  return {.name = "libpq",
          .version = LibpqConnection::client_version(),
          .open = [](const OpenRequest& request) -> std::unique_ptr<Connection> {
            return LibpqConnection::open(with_password(request.url, request.password),
                                         request.session);
          }};
}

}  // namespace tq::cli
