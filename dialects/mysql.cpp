#include "tq/mysql.hpp"

#include "embedded.hpp"

namespace tq {
namespace {

// What connections of the library's own are set to, whatever the administrator's defaults are.
std::vector<std::string> session() {
  return {
      // No gap locks, so that claims and inserts do not wait for one another.
      // https://dev.mysql.com/doc/refman/en/innodb-transaction-isolation-levels.html
      "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
      // What does not fit is refused and not cut, and no mode changes how the text is read.
      // https://dev.mysql.com/doc/refman/en/sql-mode.html
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
      // Guards against careless typing that would refuse joins or cut their answers.
      // https://dev.mysql.com/doc/refman/en/server-system-variables.html
      "SET SESSION sql_safe_updates = 0, SESSION sql_big_selects = 1, "
      "SESSION sql_select_limit = 18446744073709551615",
      // A commit that begins the next transaction would never leave one; without unique checks
      // a duplicate may be stored.
      "SET SESSION completion_type = NO_CHAIN, SESSION unique_checks = 1",
  };
}

std::vector<std::string> make_schema(const std::string& schema) {
  if (schema.empty()) return {};
  return {"CREATE DATABASE IF NOT EXISTS " + schema};
}

// Tables of JSON and derived ones are read whole and sorted, and rightly so; the table of jobs, by
// whichever name a statement calls it, never. MySQL writes its plan in either of two forms, as
// explain_json_format_version has it; MariaDB's is like the first.
// https://dev.mysql.com/doc/refman/en/explain.html
std::vector<UnwantedPlan> unwanted() {
  const std::string whole = "no index serves it: see the problems of tables and indexes";
  std::vector<UnwantedPlan> all;
  for (const std::string job : {"j", "h", "r", "b", "n"}) {
    all.push_back({R"("table_name": ")" + job + R"(", "access_type": "ALL")", whole});
    all.push_back({R"("table_name": ")" + job + R"(", "access_type": "index")", whole});
    all.push_back({"Table scan on " + job + "\"", whole});
    all.push_back({"Index scan on " + job + " ", whole});
  }
  for (const auto* sort :
       {R"("operation": "Sort)", R"("using_filesort": true)", R"("filesort":)"}) {
    all.push_back(
        {sort, "every due job is locked before the first is known: see the indexes", "claim_pick"});
  }
  return all;
}

Explain explain() {
  return {.prefix = "EXPLAIN FORMAT=JSON ",
          .answer = {{"plan", Type::text}},
          .settings = {},
          .unwanted = unwanted()};
}

}  // namespace

Dialect mysql(const DialectOptions& options) {
  return make_dialect(
      {.name = "mysql",
       .facts = {.concurrent_writers = true,
                 .clock_resolution = std::chrono::microseconds{1},
                 .announces = false,
                 .named_schema = true,
                 .error_fails_transaction = false,
                 .ddl_commits = true},
       .transaction = {.begin = "START TRANSACTION"},
       .session = session(),
       .listen = {},  // there is nothing to listen to; workers poll
       .schema_setup = make_schema(options.schema),
       .script = {.opening = "START TRANSACTION;\n\n", .step_end = ";\n\n", .closing = "COMMIT;\n"},
       .explain = explain()},
      SqlFolder{embedded::mysql(), options});
}

}  // namespace tq
