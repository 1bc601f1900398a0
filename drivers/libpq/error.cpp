#include "error.hpp"

#include "servers/postgresql.hpp"

namespace tq::libpq {
namespace {

std::string_view field(const PGresult* result, int code) {
  const auto* const value = PQresultErrorField(result, code);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// libpq breaks its own messages into lines, and may report several attempts.
std::string one_line(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

Error translate(const PGconn* connection, const PGresult* result, std::string_view statement) {
  const auto sqlstate = field(result, PG_DIAG_SQLSTATE);
  if (!sqlstate.empty()) {
    return servers::postgresql_error({.sqlstate = sqlstate,
                                      .message = field(result, PG_DIAG_MESSAGE_PRIMARY),
                                      .detail = field(result, PG_DIAG_MESSAGE_DETAIL),
                                      .hint = field(result, PG_DIAG_MESSAGE_HINT)},
                                     statement);
  }
  if (PQstatus(connection) == CONNECTION_BAD) return lost(connection, statement);
  return servers::postgresql_error({.message = one_line(PQerrorMessage(connection))}, statement);
}

Error lost(const PGconn* connection, std::string_view statement) {
  auto message = one_line(PQerrorMessage(connection));
  if (message.empty()) message = "the connection to the server is closed";
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .statement = std::string{statement}},
          statement.empty() ? message : std::string{statement} + ": " + message};
}

}  // namespace tq::libpq
