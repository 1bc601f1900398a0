// What a session says of itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "handles.hpp"
#include "tq/connection.hpp"

namespace tq::mysql_driver {

struct Session {
  std::string id;                ///< what KILL takes
  std::size_t packet_bytes = 0;  ///< max_allowed_packet
};

/// Runs SQL text and reads all that it gives. Throws sql::SQLException.
void run_text(sql::Connection& connection, const std::string& text);

/// Asks the server. Throws Errc::invalid_argument if the session's character set is not utf8mb4,
/// and sql::SQLException.
[[nodiscard]] Session read_session(sql::Connection& connection);

/// Whether the connection uses TLS. Throws sql::SQLException.
[[nodiscard]] bool encrypted(sql::Connection& connection);

/// Whether a transaction is open. Throws sql::SQLException.
[[nodiscard]] TransactionState ask_transaction(sql::Connection& connection);

}  // namespace tq::mysql_driver
