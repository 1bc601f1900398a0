#include "client.hpp"
#include "tq/mysql_connector.hpp"

namespace tq {

std::string MysqlConnection::client_version() {
  auto& driver = mysql_driver::client();
  return "MySQL Connector/C++ " + std::to_string(driver.getMajorVersion()) + "." +
         std::to_string(driver.getMinorVersion()) + "." + std::to_string(driver.getPatchVersion());
}

}  // namespace tq
