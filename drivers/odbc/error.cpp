#include "error.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "servers/sqlite.hpp"

namespace tq::odbc {
namespace {

// What the driver manager and the ODBC drivers report themselves, before any server is asked. The
// first whose prefix fits counts.
// https://learn.microsoft.com/en-us/sql/odbc/reference/appendixes/appendix-a-odbc-error-codes
struct Rule {
  std::string_view prefix;
  Errc code;
  std::string_view advice = {};
};

constexpr std::array rules{
    Rule{"08", Errc::connection_lost},
    Rule{"HY008", Errc::cancelled},
    Rule{"HYT", Errc::timeout},
    Rule{"HY010", Errc::invalid_argument,
         "; another result is being read on this connection, read it to its end first"},
    Rule{"24000", Errc::invalid_argument,
         "; another result is being read on this connection, read it to its end first"},
    Rule{"HY", Errc::failed},
    Rule{"IM", Errc::failed},
};

const Rule* rule_for(std::string_view sqlstate) {
  const auto* const found = std::ranges::find_if(
      rules, [sqlstate](const Rule& rule) { return sqlstate.starts_with(rule.prefix); });
  return found == rules.end() ? nullptr : found;
}

bool blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// "[unixODBC][Driver Manager]words" is "words".
std::string_view without_origin(std::string_view text) {
  while (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + 1);
  }
  return text;
}

// "ERROR: words" is "words": psqlodbc puts the severity, in the server's language, in front. An ORA
// number stays.
std::string_view without_severity(std::string_view text) {
  const auto colon = text.find(": ");
  const auto word = text.substr(0, colon);
  const bool severity = colon != std::string_view::npos && std::ranges::none_of(word, blank) &&
                        std::ranges::none_of(word, [](unsigned char c) {
                          return (c >= 'a' && c <= 'z') || c == '-';
                        });
  return severity ? text.substr(colon + 2) : text;
}

// psqlodbc says behind the server's words in which of its functions it was.
std::string_view without_place(std::string_view text) {
  for (const std::string_view place : {";\nError while ", ";\nThe connection has been lost"}) {
    text = text.substr(0, text.rfind(place));
  }
  return text;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// libsqliteodbc appends the number.
std::string_view without_number(std::string_view text, int number) {
  const auto suffix = " (" + std::to_string(number) + ")";
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

Error error_of(Errc code, const Failure& failure, std::string_view statement,
               std::string_view advice) {
  auto message = failure.message + std::string{advice};
  if (!statement.empty()) message = std::string{statement} + ": " + message;
  return {ErrorDetails{.code = code,
                       .transaction_lost = code == Errc::connection_lost,
                       .sqlstate = failure.sqlstate,
                       .vendor_code = failure.number,
                       .statement = std::string{statement}},
          message};
}

}  // namespace

Failure failure_of(std::string_view sqlstate, int number, std::string_view text) {
  constexpr std::string_view detail = "\nDETAIL: ";
  text = without_number(without_place(without_severity(without_origin(text))), number);
  const auto end = std::min(text.find(detail), text.size());
  const auto behind = text.substr(std::min(end + detail.size(), text.size()));
  return {.sqlstate = std::string{sqlstate},
          .number = number,
          .message = one_line(text.substr(0, end)),
          .detail = one_line(behind)};
}

Failure read_failure(SQLSMALLINT kind, SQLHANDLE handle) {
  constexpr SQLSMALLINT most = 4096;
  std::array<SQLCHAR, SQL_SQLSTATE_SIZE + 1> sqlstate{};
  std::array<SQLCHAR, most> text{};
  SQLINTEGER number = 0;
  SQLSMALLINT length = 0;
  const auto result =
      SQLGetDiagRec(kind, handle, 1, sqlstate.data(), &number, text.data(), most, &length);
  if (!SQL_SUCCEEDED(result)) return {.message = "the ODBC driver does not say why it failed"};
  const auto size = std::clamp<SQLSMALLINT>(length, 0, most - 1);
  return failure_of(reinterpret_cast<const char*>(sqlstate.data()), number,
                    {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(size)});
}

void check(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  throw read_failure(kind, handle);
}

Error translate(const servers::Server& server, const Quirks& quirks, const Failure& failure,
                std::string_view statement) {
  const auto number = quirks.numbers_are_the_servers ? failure.number : 0;
  const auto* const rule = rule_for(failure.sqlstate);
  // A number of the server's says more than a SQLSTATE of the ODBC driver's.
  if (rule != nullptr && number <= 0) {
    return error_of(rule->code, failure, statement, rule->advice);
  }
  return server.translate({.number = number,
                           .sqlstate = failure.sqlstate,
                           .message = failure.message,
                           .detail = failure.detail},
                          statement);
}

Error not_connected(const servers::Server& server, const Failure& failure) {
  const bool no_driver = failure.message.find("Can't open lib") != std::string::npos;
  if (no_driver || failure.sqlstate == "IM002" || failure.sqlstate == "IM003") {
    return error_of(Errc::invalid_argument, failure, {},
                    "; odbcinst -q -d lists the ODBC drivers of this machine, odbcinst -q -s its "
                    "data sources; name one in the URL with driver= or dsn=");
  }
  if (server.not_connected != nullptr) {
    return server.not_connected(
        {.number = failure.number, .sqlstate = failure.sqlstate, .message = failure.message});
  }
  if (&server == &servers::sqlite() && failure.number > 0) {
    return servers::sqlite_error(failure.number, failure.message, {.statement = "open"});
  }
  auto described = failure;
  described.message = "no connection to the server: " + failure.message;
  return error_of(Errc::connection_lost, described, {}, {});
}

Error lost(std::string_view statement) {
  return error_of(Errc::connection_lost, {.message = "the connection to the server is closed"},
                  statement, {});
}

}  // namespace tq::odbc
