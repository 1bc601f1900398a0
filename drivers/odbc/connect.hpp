// Opening a connection of the library's own, and what it is a connection to.
#pragma once

#include <string>

#include "handles.hpp"
#include "url.hpp"

namespace tq::odbc {

struct Link {
  EnvironmentHandle environment = {};  // freed after its connection
  ConnectionHandle connection = {};
};

/// Connects. Throws Errc::connection_lost, or Errc::invalid_argument for an ODBC driver or data
/// source that is not there.
[[nodiscard]] Link connect(const Target& target);

/// A text that SQLGetInfo gives; empty if it does not.
[[nodiscard]] std::string info(SQLHDBC connection, SQLUSMALLINT what);

/// The engine at the other end. Throws Errc::unsupported if it is none that is known.
[[nodiscard]] const servers::Server& server_of(SQLHDBC connection);

}  // namespace tq::odbc
