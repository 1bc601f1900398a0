#include "servers/server.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "servers/mysql.hpp"
#include "servers/oracle.hpp"
#include "servers/postgresql.hpp"
#include "servers/sqlite.hpp"
#include "servers/sqlserver.hpp"

namespace tq::servers {
namespace {

constexpr std::string_view enter = "SAVEPOINT tq_is_a_transaction_open";
constexpr std::string_view leave = "RELEASE SAVEPOINT tq_is_a_transaction_open";

Session no_session(const std::vector<std::string>& /*row*/) { return {}; }

bool never(const Error& /*error*/) noexcept { return false; }

// A savepoint is refused outside of a transaction and in one that has failed, each with a state of
// its own. https://www.postgresql.org/docs/current/sql-savepoint.html
TransactionState ask_postgresql(const Execute& execute) {
  try {
    execute(enter);
  } catch (const Error& error) {
    if (error.sqlstate() == "25P01") return TransactionState::none;
    if (error.sqlstate() == "25P02") return TransactionState::failed;
    throw;
  }
  execute(leave);
  return TransactionState::open;
}

Session read_postgresql(const std::vector<std::string>& row) {
  const auto& encoding = row.at(0);
  if (encoding == "UTF8") return {};
  throw Error{Errc::invalid_argument, "the connection's client_encoding is " + encoding +
                                          ", but TableQueue speaks UTF-8; set it with SET "
                                          "client_encoding = 'UTF8'"};
}

// innodb_rollback_on_timeout decides about a lock time-out, a setting of MariaDB about 1020.
bool mysql_may_have_lost(const Error& error) noexcept {
  constexpr int lock_wait_timeout = 1205;
  return error.vendor_code() == lock_wait_timeout || error.code() == Errc::serialization;
}

// No client library passes on the flag that the server sends with each answer, and a server offers
// no variable that every version and every user can read. But a savepoint can be set at any time
// and is kept only within a transaction, so that releasing it tells.
// https://dev.mysql.com/doc/refman/8.4/en/savepoint.html
TransactionState ask_mysql(const Execute& execute) {
  constexpr int no_such_savepoint = 1305;
  execute(enter);
  try {
    execute(leave);
  } catch (const Error& error) {
    if (error.vendor_code() != no_such_savepoint) throw;
    return TransactionState::none;
  }
  return TransactionState::open;
}

Session read_mysql(const std::vector<std::string>& row) {
  constexpr std::array names{"character_set_client", "character_set_connection",
                             "character_set_results"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& value = row.at(i);
    if (value == "utf8mb4") continue;
    throw Error{Errc::invalid_argument,
                std::string{"the connection's "} + names[i] + " is " +
                    (value.empty() ? "not set" : value) +
                    ", but TableQueue speaks utf8mb4; set it with SET NAMES utf8mb4, by ODBC with "
                    "CHARSET=utf8mb4 in the connection string"};
  }
  return {.id = row.at(3), .argument_bytes = static_cast<std::size_t>(std::stoull(row.at(4)))};
}

// A block that raises an error of its own where no transaction is open. The package is everybody's.
// A session that has changed and locked nothing has none, whatever the client library was told.
// https://docs.oracle.com/en/database/oracle/oracle-database/19/arpls/DBMS_TRANSACTION.html
TransactionState ask_oracle(const Execute& execute) {
  constexpr int none_is_open = 20101;
  try {
    execute(
        "BEGIN IF DBMS_TRANSACTION.LOCAL_TRANSACTION_ID IS NULL THEN "
        "RAISE_APPLICATION_ERROR(-20101, 'no transaction is open'); END IF; END;");
  } catch (const Error& error) {
    if (error.vendor_code() != none_is_open) throw;
    return TransactionState::none;
  }
  return TransactionState::open;
}

// The first is "AMERICAN_AMERICA.AL32UTF8": language, territory and the database's character set;
// the last a euro sign, which comes as it is if the client library is told of UTF-8, or needs not
// be.
Session read_oracle(const std::vector<std::string>& row) {
  if (!row.at(0).ends_with(".AL32UTF8")) {
    throw Error{Errc::invalid_argument, "the database's character set is that of " + row.at(0) +
                                            ", which cannot keep every name and payload; use one "
                                            "whose character set is AL32UTF8"};
  }
  if (row.at(1) != "BINARY") {
    throw Error{Errc::invalid_argument,
                "the connection's NLS_COMP is " + row.at(1) +
                    ", under which names are not compared by their characters; set it with ALTER "
                    "SESSION SET NLS_COMP = BINARY"};
  }
  if (row.at(3) != "\xE2\x82\xAC") {
    throw Error{Errc::invalid_argument,
                "the client library's character set is not UTF-8; set NLS_LANG=.AL32UTF8 in the "
                "environment before it is loaded"};
  }
  return {.id = row.at(2)};
}

// These may end the transaction, as far as SQLite likes.
// https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
bool sqlite_may_have_lost(const Error& error) noexcept {
  constexpr std::array codes{5, 7, 9, 10, 13};  // BUSY, NOMEM, INTERRUPT, IOERR, FULL
  constexpr int primary = 0xFF;
  return std::ranges::find(codes, error.vendor_code() & primary) != codes.end();
}

// A savepoint would begin a transaction. BEGIN locks nothing yet, and is refused within one.
TransactionState ask_sqlite(const Execute& execute) {
  constexpr int generic = 1;  // SQLITE_ERROR: "cannot start a transaction within a transaction"
  try {
    execute("BEGIN");
  } catch (const Error& error) {
    if (error.vendor_code() != generic) throw;
    return TransactionState::open;
  }
  execute("ROLLBACK");
  return TransactionState::none;
}

Error translate_sqlite(const Report& report, std::string_view statement) {
  return sqlite_error(report.number, report.message,
                      {.statement = statement, .in_commit = statement == "commit"});
}

// XACT_ABORT, which a caller may have set, decides about most errors.
// https://learn.microsoft.com/en-us/sql/t-sql/statements/set-xact-abort-transact-sql
bool always(const Error& /*error*/) noexcept { return true; }

// RAISERROR ends no transaction, whatever XACT_ABORT says; THROW would. It says "no" where there is
// none, so nothing is risked where there is one.
// https://learn.microsoft.com/en-us/sql/t-sql/functions/xact-state-transact-sql
TransactionState ask_sqlserver(const Execute& execute) {
  constexpr int raised = 50000;
  const auto says_no = [&](std::string_view question) {
    try {
      execute(question);
    } catch (const Error& error) {
      if (error.vendor_code() != raised) throw;
      return true;
    }
    return false;
  };
  if (says_no("IF @@TRANCOUNT = 0 RAISERROR('no transaction is open', 16, 1)")) {
    return TransactionState::none;
  }
  if (says_no("IF XACT_STATE() = -1 RAISERROR('it can only be rolled back', 16, 1)")) {
    return TransactionState::failed;
  }
  return TransactionState::open;
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

const Server& postgresql() noexcept {
  static constexpr Server server{.name = "postgresql",
                                 .translate = &postgresql_error,
                                 .not_connected = nullptr,
                                 .begin = "BEGIN",
                                 .error_fails_transaction = true,
                                 .may_have_lost_transaction = &never,
                                 .ask_transaction = &ask_postgresql,
                                 .short_bytes = 0,
                                 .session_query = "SHOW client_encoding",
                                 .read_session = &read_postgresql};
  return server;
}

const Server& mysql() noexcept {
  static constexpr Server server{
      .name = "mysql",
      .translate = &mysql_error,
      .not_connected = &mysql_not_connected,
      .begin = "START TRANSACTION",
      .error_fails_transaction = false,
      .may_have_lost_transaction = &mysql_may_have_lost,
      .ask_transaction = &ask_mysql,
      .short_bytes = 0,
      .session_query =
          "SELECT @@character_set_client, @@character_set_connection, "
          "@@character_set_results, CONNECTION_ID(), @@max_allowed_packet",
      .read_session = &read_mysql};
  return server;
}

const Server& oracle() noexcept {
  static constexpr Server server{
      .name = "oracle",
      .translate = &oracle_error,
      .not_connected = &oracle_not_connected,
      .begin = {},  // the first change begins one
      .error_fails_transaction = false,
      .may_have_lost_transaction = &never,
      .ask_transaction = &ask_oracle,
      .short_bytes = oracle_short_bytes,
      .session_query =
          "SELECT SYS_CONTEXT('USERENV', 'LANGUAGE'), n.VALUE, SYS_CONTEXT('USERENV', 'SID'), "
          "TO_CHAR(UNISTR('\\20AC')) FROM NLS_SESSION_PARAMETERS n WHERE n.PARAMETER = 'NLS_COMP'",
      .read_session = &read_oracle};
  return server;
}

const Server& sqlite() noexcept {
  static constexpr Server server{.name = "sqlite",
                                 .translate = &translate_sqlite,
                                 .not_connected = nullptr,
                                 .begin = "BEGIN",
                                 .error_fails_transaction = false,
                                 .may_have_lost_transaction = &sqlite_may_have_lost,
                                 .ask_transaction = &ask_sqlite,
                                 .short_bytes = 0,
                                 .session_query = {},
                                 .read_session = &no_session};
  return server;
}

const Server& sqlserver() noexcept {
  static constexpr Server server{.name = "sqlserver",
                                 .translate = &sqlserver_error,
                                 .not_connected = &sqlserver_not_connected,
                                 .begin = "BEGIN TRANSACTION",
                                 .error_fails_transaction = false,
                                 .may_have_lost_transaction = &always,
                                 .ask_transaction = &ask_sqlserver,
                                 .short_bytes = 0,
                                 .session_query = {},  // a name is an nvarchar there in any case
                                 .read_session = &no_session};
  return server;
}

const Server* server_called(std::string_view product) noexcept {
  const auto name = lower(product);
  if (name.starts_with("postgres")) return &postgresql();
  if (name.starts_with("mysql") || name.starts_with("mariadb")) return &mysql();
  if (name.starts_with("oracle")) return &oracle();
  if (name.starts_with("sqlite")) return &sqlite();
  if (name.starts_with("microsoft sql server")) return &sqlserver();
  return nullptr;
}

}  // namespace tq::servers
