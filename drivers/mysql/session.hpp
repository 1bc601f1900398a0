// What a session says of itself.
#pragma once

#include <string>

#include "handles.hpp"
#include "servers/server.hpp"
#include "tq/connection.hpp"

namespace tq::mysql_driver {

using servers::Session;

/// Runs SQL text and reads all that it gives. Throws sql::SQLException.
void run_text(sql::Connection& connection, const std::string& text);

/// Asks the server. Throws Errc::invalid_argument if the session's character set is not utf8mb4,
/// and sql::SQLException.
[[nodiscard]] Session read_session(sql::Connection& connection);

/// Whether the connection uses TLS. Throws sql::SQLException.
[[nodiscard]] bool encrypted(sql::Connection& connection);

/// Whether a transaction is open. Throws Error.
[[nodiscard]] TransactionState ask_transaction(sql::Connection& connection);

}  // namespace tq::mysql_driver
