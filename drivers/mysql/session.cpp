#include "session.hpp"

#include <cppconn/exception.h>

#include <array>

#include "tq/error.hpp"

namespace tq::mysql_driver {
namespace {

Result query(sql::Statement& statement, const char* text) {
  Result result{statement.executeQuery(text)};
  if (!result->next()) throw Error{Errc::failed, "the session says nothing of itself"};
  return result;
}

}  // namespace

void run_text(sql::Connection& connection, const std::string& text) {
  const Text statement{connection.createStatement()};
  bool rows = statement->execute(text);
  do {
    if (rows) const Result ignored{statement->getResultSet()};
    rows = statement->getMoreResults();
  } while (rows);
}

Session read_session(sql::Connection& connection) {
  const Text statement{connection.createStatement()};
  const auto row = query(*statement,
                         "SELECT @@character_set_client, @@character_set_connection, "
                         "@@character_set_results, CONNECTION_ID(), @@max_allowed_packet");
  constexpr std::array names{"character_set_client", "character_set_connection",
                             "character_set_results"};
  unsigned position = 0;
  for (const auto* const name : names) {
    const auto value = row->getString(++position).asStdString();
    if (value == "utf8mb4") continue;
    throw Error{Errc::invalid_argument,
                std::string{"the connection's "} + name + " is " +
                    (value.empty() ? "not set" : value) +
                    ", but TableQueue speaks utf8mb4; set it with SET NAMES utf8mb4"};
  }
  return {.id = row->getString(4).asStdString(),
          .packet_bytes = static_cast<std::size_t>(row->getUInt64(5))};
}

bool encrypted(sql::Connection& connection) {
  const Text statement{connection.createStatement()};
  const auto row = query(*statement, "SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  return row->getString(2).length() > 0;
}

// The client library hides the flag that the server sends with each answer, and a server offers no
// variable that every version and every user can read. But a savepoint can be set at any time and
// is kept only within a transaction, so that releasing it tells. Both leave nothing behind.
// https://dev.mysql.com/doc/refman/8.4/en/savepoint.html
TransactionState ask_transaction(sql::Connection& connection) {
  constexpr int no_such_savepoint = 1305;
  run_text(connection, "SAVEPOINT tq_is_a_transaction_open");
  try {
    run_text(connection, "RELEASE SAVEPOINT tq_is_a_transaction_open");
  } catch (const sql::SQLException& error) {
    if (error.getErrorCode() != no_such_savepoint) throw;
    return TransactionState::none;
  }
  return TransactionState::open;
}

}  // namespace tq::mysql_driver
