// What connections of the library's own tell the usual ODBC drivers of each engine.
#pragma once

#include <string_view>

#include "connection_string.hpp"
#include "servers/url.hpp"
#include "url.hpp"

namespace tq::odbc {

struct Engine {
  std::string_view dialect;  ///< as the URL's scheme has it
  const servers::Server& (*server)() noexcept;
  std::string_view driver;  ///< what its ODBC driver is called by default
  std::string_view socket;  ///< the keyword for a socket's path; empty: as a host
  std::string_view port;    ///< the keyword for it; empty: behind the host
  /// Host, port and path in one; null: the keywords Server, Port and Database.
  Keyword (*place)(const servers::Url& url, const Target& target);
  Keywords (*always)(const Target& target);  ///< not to be chosen
  Keywords (*usually)();                     ///< unless the URL says otherwise
};

/// Null if there is none of this name.
[[nodiscard]] const Engine* engine_called(std::string_view dialect) noexcept;

/// The keyword Database for a file of SQLite's.
[[nodiscard]] std::string sqlite_database(const SqliteFile& file);

}  // namespace tq::odbc
