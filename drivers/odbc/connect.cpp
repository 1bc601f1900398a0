#include "connect.hpp"

#include <array>

#include "error.hpp"

namespace tq::odbc {
namespace {

EnvironmentHandle make_environment() {
  SQLHENV raw = nullptr;
  if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &raw))) {
    throw Error{Errc::failed, "no memory for a connection"};
  }
  EnvironmentHandle environment{raw};
  check(SQLSetEnvAttr(raw, SQL_ATTR_ODBC_VERSION, as_pointer(SQL_OV_ODBC3), 0), SQL_HANDLE_ENV,
        raw);
  return environment;
}

ConnectionHandle make_connection(SQLHENV environment) {
  SQLHDBC raw = nullptr;
  check(SQLAllocHandle(SQL_HANDLE_DBC, environment, &raw), SQL_HANDLE_ENV, environment);
  return ConnectionHandle{raw};
}

}  // namespace

Link connect(const Target& target) try {
  Link link;
  link.environment = make_environment();
  link.connection = make_connection(link.environment.get());
  auto* const connection = link.connection.get();
  // Not every ODBC driver has it; its result is not looked at.
  SQLSetConnectAttr(connection, SQL_ATTR_LOGIN_TIMEOUT,
                    as_pointer(static_cast<SQLULEN>(target.connect_timeout.count())), 0);
  auto text = target.connection_string;
  check(SQLDriverConnect(connection, nullptr, reinterpret_cast<SQLCHAR*>(text.data()), SQL_NTS,
                         nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT),
        SQL_HANDLE_DBC, connection);
  return link;
} catch (const Failure& failure) {
  throw not_connected(*target.server, failure);
}

std::string info(SQLHDBC connection, SQLUSMALLINT what) {
  std::array<char, 256> text{};
  SQLSMALLINT length = 0;
  const auto result =
      SQLGetInfo(connection, what, text.data(), static_cast<SQLSMALLINT>(text.size()), &length);
  return SQL_SUCCEEDED(result) ? std::string{text.data()} : std::string{};
}

const servers::Server& server_of(SQLHDBC connection) {
  const auto product = info(connection, SQL_DBMS_NAME);
  const auto* const server = servers::server_called(product);
  if (server != nullptr) return *server;
  if (product.empty()) {
    throw Error{Errc::invalid_argument, "the SQLHDBC is not that of a connected database"};
  }
  throw Error{Errc::unsupported,
              "the ODBC driver is connected to " + product +
                  ", which is none of PostgreSQL, MySQL, MariaDB, Oracle, SQLite and SQL Server"};
}

}  // namespace tq::odbc
