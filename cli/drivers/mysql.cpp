#include "database.hpp"
#include "tq/mysql_connector.hpp"

namespace tq::cli {

DriverEntry mysql_driver() {
  return {.name = "mysql",
          .version = MysqlConnection::client_version(),
          .open = [](const OpenRequest& request) -> std::unique_ptr<Connection> {
            return MysqlConnection::open(with_password(request.url, request.password),
                                         request.session);
          }};
}

}  // namespace tq::cli
