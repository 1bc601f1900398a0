#include "error.hpp"

#include <cppconn/exception.h>

#include "servers/mysql.hpp"

namespace tq::mysql_driver {
namespace {

servers::Report report_of(const sql::SQLException& raised) {
  return {.number = raised.getErrorCode(),
          .sqlstate = raised.getSQLStateCStr(),
          .message = raised.what()};
}

}  // namespace

Error translate(const sql::SQLException& raised, std::string_view statement) {
  return servers::mysql_error(report_of(raised), statement);
}

Error not_connected(const sql::SQLException& raised) {
  return servers::mysql_not_connected(report_of(raised));
}

Error lost(std::string_view statement) {
  const std::string message = "the connection to the server is closed";
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .statement = std::string{statement}},
          statement.empty() ? message : std::string{statement} + ": " + message};
}

}  // namespace tq::mysql_driver
