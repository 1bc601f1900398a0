#include "tq/postgresql.hpp"

#include "embedded.hpp"

namespace tq {
namespace {

// What connections of the library's own are set to, whatever the administrator's defaults are.
std::vector<std::string> session() {
  return {
      "SET client_encoding = 'UTF8'",
      // Also for statements without a BEGIN: the statements are written for READ COMMITTED.
      // https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
      "SET default_transaction_isolation = 'read committed'",
      // One plan for a statement, whatever its values: planning a claim takes longer than claiming,
      // and the server would change its mind with the statistics.
      // https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES
      "SET plan_cache_mode = force_generic_plan",
      // A plan that was made while the table was empty would read it whole once it is full.
      "SET enable_seqscan = off",
      // Statements of a few milliseconds are not worth compiling.
      "SET jit = off",
  };
}

// CREATE SCHEMA IF NOT EXISTS asks for the right to create one even where it is there.
std::vector<std::string> make_schema(const std::string& schema) {
  if (schema.empty()) return {};
  return {"DO 'BEGIN IF to_regnamespace(''" + schema + "'') IS NULL THEN CREATE SCHEMA " + schema +
          "; END IF; END'"};
}

// A small table is read whole, and rightly so, unless told otherwise. What is asked here is whether
// there is an index for the time when it is large.
// https://www.postgresql.org/docs/current/using-explain.html
Explain explain() {
  return {.prefix = "EXPLAIN ",
          .answer = {{"plan", Type::text}},
          .settings = {"SET LOCAL enable_seqscan = off"},
          .unwanted = {{"Seq Scan on tq_job",
                        "no valid index serves it; the script of `tq init --print` makes those "
                        "that are missing"}}};
}

}  // namespace

Dialect postgresql(const DialectOptions& options) {
  const auto& schema = options.schema;
  const auto prefix = schema.empty() ? schema : schema + ".";
  return make_dialect(
      {.name = "postgresql",
       .facts = {.concurrent_writers = true,
                 .clock_resolution = std::chrono::microseconds{1},
                 .announces = true,
                 .named_schema = true,
                 .error_fails_transaction = true,
                 .ddl_commits = false},
       .transaction = {.begin = "BEGIN ISOLATION LEVEL READ COMMITTED"},
       .session = session(),
       .listen = "LISTEN \"" + prefix + "tq_wake\"",  // the channel that enqueue.sql names
       .schema_setup = make_schema(schema),
       .script = {.opening = "BEGIN ISOLATION LEVEL READ COMMITTED;\n\n",
                  .step_end = ";\n\n",
                  .closing = "COMMIT;\n"},
       .explain = explain()},
      SqlFolder{embedded::postgresql(), options});
}

}  // namespace tq
