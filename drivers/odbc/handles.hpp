// ODBC's handles, each freed where it was obtained.
#pragma once

#include <sql.h>
#include <sqlext.h>
#include <sqlucode.h>

#include <bit>
#include <memory>

namespace tq::odbc {

template <SQLSMALLINT kind>
struct FreeHandle {
  void operator()(SQLHANDLE handle) const noexcept { SQLFreeHandle(kind, handle); }
};

struct CloseConnection {
  void operator()(SQLHDBC connection) const noexcept {
    SQLDisconnect(connection);  // fails where it was never made
    SQLFreeHandle(SQL_HANDLE_DBC, connection);
  }
};

/// Attributes that are numbers travel in the pointer itself.
[[nodiscard]] inline SQLPOINTER as_pointer(SQLULEN number) {
  return std::bit_cast<SQLPOINTER>(number);
}

using EnvironmentHandle = std::unique_ptr<void, FreeHandle<SQL_HANDLE_ENV>>;
using ConnectionHandle = std::unique_ptr<void, CloseConnection>;
using StatementHandle = std::unique_ptr<void, FreeHandle<SQL_HANDLE_STMT>>;

}  // namespace tq::odbc
