#include "tq/sqlserver.hpp"

#include "embedded.hpp"

namespace tq {
namespace {

// What a session must have set to change a table with filtered indexes; else error 1934.
// https://learn.microsoft.com/en-us/sql/t-sql/statements/create-index-transact-sql
constexpr auto on =
    "SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, "
    "QUOTED_IDENTIFIER ON";
constexpr auto off = "SET NUMERIC_ROUNDABORT OFF";

// What connections of the library's own are set to, whatever the administrator's defaults and the
// driver's are.
std::vector<std::string> session() {
  return {
      on,
      off,
      // The statements set it too, for borrowed connections; those without parameters cannot.
      // https://learn.microsoft.com/en-us/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
      "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
      // No transaction that nobody has begun.
      // https://learn.microsoft.com/en-us/sql/t-sql/statements/set-implicit-transactions-transact-sql
      "SET IMPLICIT_TRANSACTIONS OFF",
      // An error of a handler's own statement leaves its transaction to the handler.
      // https://learn.microsoft.com/en-us/sql/t-sql/statements/set-xact-abort-transact-sql
      "SET XACT_ABORT OFF",
      // Nothing is cut off: neither rows nor a long payload.
      // https://learn.microsoft.com/en-us/sql/t-sql/statements/set-textsize-transact-sql
      "SET ROWCOUNT 0",
      "SET TEXTSIZE 2147483647",
  };
}

// A batch of its own, as CREATE SCHEMA wants it.
// https://learn.microsoft.com/en-us/sql/t-sql/statements/create-schema-transact-sql
std::vector<std::string> make_schema(const std::string& schema) {
  if (schema.empty()) return {};
  return {"IF SCHEMA_ID(N'" + schema + "') IS NULL EXECUTE (N'CREATE SCHEMA " + schema + "')"};
}

// For sqlcmd, which ends a batch at GO, and which has QUOTED_IDENTIFIER off unless told otherwise.
// It would go on behind a failed batch, outside of the transaction that is gone then.
// https://learn.microsoft.com/en-us/sql/tools/sqlcmd/sqlcmd-utility
Script script() {
  return {.opening = ":ON ERROR EXIT\n" + std::string{on} + ";\n" + off +
                     ";\nSET XACT_ABORT ON;\nGO\n" + "BEGIN TRANSACTION;\nGO\n\n",
          .step_end = ";\nGO\n\n",
          .closing = "COMMIT TRANSACTION;\nGO\n"};
}

}  // namespace

Dialect sqlserver(const DialectOptions& options) {
  return make_dialect(
      {.name = "sqlserver",
       .facts = {.concurrent_writers = true,
                 .clock_resolution = std::chrono::microseconds{1},
                 .announces = false,
                 .named_schema = true,
                 .error_fails_transaction = false,
                 .ddl_commits = false},
       // https://learn.microsoft.com/en-us/sql/t-sql/language-elements/save-transaction-transact-sql
       .transaction = {.begin = "BEGIN TRANSACTION",
                       .savepoint = "SAVE TRANSACTION tq_job",
                       .rollback_to = "ROLLBACK TRANSACTION tq_job"},
       .session = session(),
       .listen = {},  // there is nothing to listen to; workers poll
       .schema_setup = make_schema(options.schema),
       .script = script(),
       // A plan is had by a setting of the session (SHOWPLAN_XML), under which nothing runs and no
       // statement with parameters is prepared, and not by a word before the statement. Nor is it
       // needed: each access names its index, without which it is an error.
       // https://learn.microsoft.com/en-us/sql/t-sql/statements/set-showplan-xml-transact-sql
       .explain = {.prefix = {}, .answer = {}, .settings = {}, .unwanted = {}}},
      SqlFolder{embedded::sqlserver(), options});
}

}  // namespace tq
