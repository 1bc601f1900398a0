// The client's half of the pairs over ODBC.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "pair.hpp"

namespace tq::conformance {

/// How an ODBC driver takes several statements; `batches`: all of them, but GO is for the client.
enum class Scripts : std::uint8_t { whole, batches, one_by_one };

/// Whether an application lets its connection commit each statement.
enum class Autocommit : std::uint8_t { on, off };

/// How an application opens its connection.
struct OdbcApplication {
  std::string driver = {};   ///< a name of odbcinst.ini
  std::string options = {};  ///< the end of the connection string
  /// All of it, instead of these.
  std::function<std::string(const std::string& url)> connection_string = {};
  Scripts scripts;
  Autocommit autocommit = Autocommit::on;
  Limits limits = {};
};

[[nodiscard]] Client odbc_client(const OdbcApplication& application);

constexpr const char* odbc_cannot_wait =
    "ODBC has no call that waits for another connection: a job is found by the next look";

}  // namespace tq::conformance
