#include <array>

#include "handles.hpp"
#include "tq/odbc.hpp"

namespace tq {

std::string OdbcConnection::client_version() {
  SQLHENV raw = nullptr;
  if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &raw))) return "unixODBC";
  const odbc::EnvironmentHandle environment{raw};
  std::array<char, 32> version{};
  constexpr auto room = static_cast<SQLINTEGER>(version.size() - 1);
  SQLGetEnvAttr(raw, SQL_ATTR_UNIXODBC_VERSION, version.data(), room, nullptr);
  return std::string{"unixODBC "} + version.data();
}

}  // namespace tq
