// SOCI's odbc backend, on a server that need not be the one that the ODBC driver names.
#pragma once

#include "session_backend.hpp"

namespace tq::soci_driver {

/// The library's own session, in which no transaction is open. Both outlive the result.
[[nodiscard]] std::unique_ptr<Backend> own_odbc(soci::session& session,
                                                const servers::Server& server);

/// The application's.
[[nodiscard]] std::unique_ptr<Backend> borrowed_odbc(soci::session& session,
                                                     const servers::Server& server);

}  // namespace tq::soci_driver
