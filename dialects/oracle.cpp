#include "tq/oracle.hpp"

#include "embedded.hpp"

namespace tq {
namespace {

// What connections of the library's own are set to, whatever the administrator's defaults and logon
// triggers are.
// https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/ALTER-SESSION.html
std::vector<std::string> session() {
  return {
      // Also for statements without a transaction: a lock that was waited for is judged anew.
      "ALTER SESSION SET ISOLATION_LEVEL = READ COMMITTED",
      // Names compare by their bytes, and so by the indexes.
      "ALTER SESSION SET NLS_COMP = BINARY NLS_SORT = BINARY",
      // The texts are few, and their literals are meant.
      "ALTER SESSION SET CURSOR_SHARING = EXACT",
  };
}

}  // namespace

Dialect oracle(const DialectOptions& options) {
  return make_dialect(
      {.name = "oracle",
       .facts = {.concurrent_writers = true,
                 .clock_resolution = std::chrono::microseconds{1},
                 .announces = false,
                 .named_schema = true,
                 .error_fails_transaction = false,
                 .ddl_commits = false},
       // There is no text that begins one: the first change does, and the client library is told
       // not to commit it.
       .transaction = {.begin = "",
                       .savepoint = "SAVEPOINT tq_job",
                       .rollback_to = "ROLLBACK TO SAVEPOINT tq_job"},
       .session = session(),
       .listen = {},        // there is nothing to listen to; workers poll
       .schema_setup = {},  // a schema is a user, which an administrator makes
       // For SQL*Plus and SQLcl, which end a block, and any statement, by a line with a slash.
       .script = {.opening = "WHENEVER SQLERROR EXIT FAILURE ROLLBACK\n\n",
                  .step_end = "\n/\n\n",
                  .closing = "COMMIT;\n"},
       // EXPLAIN PLAN writes the plan into a table and gives no row, takes no block of PL/SQL, and
       // would need a second statement to show what it wrote.
       // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/EXPLAIN-PLAN.html
       .explain = {}},
      SqlFolder{embedded::oracle(), options});
}

}  // namespace tq
