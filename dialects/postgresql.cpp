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

}  // namespace

Dialect postgresql(const DialectOptions& options) {
  const SqlFolder sql{embedded::postgresql(), options};
  const auto& schema = options.schema;
  const auto prefix = schema.empty() ? schema : schema + ".";
  return {
      .name = "postgresql",
      .facts = {.concurrent_writers = true,
                .clock_resolution = std::chrono::microseconds{1},
                .announces = true,
                .named_schema = true,
                .error_fails_transaction = true},
      .transaction = {.begin = "BEGIN ISOLATION LEVEL READ COMMITTED"},
      .session = session(),
      .listen = "LISTEN \"" + prefix + "tq_wake\"",  // the channel that enqueue.sql names
      .schema_setup = make_schema(schema),
      .enqueue = sql.operation("enqueue"),
      .holder = sql.statement("holder"),
      .claim = {.settle = sql.operation("claim_settle"),
                .probe = sql.optional("claim_probe"),
                .pick = sql.statement("claim_pick"),
                .mark = sql.operation("claim_mark")},
      .extend = sql.operation("extend"),
      .finish = sql.operation("finish"),
      .expired = sql.operation("expired"),
      .retake = sql.statement("retake"),
      .cancel = sql.operation("cancel"),
      .requeue = sql.operation("requeue"),
      .purge = sql.operation("purge"),
      .pause = sql.statement("pause"),
      .resume = sql.statement("resume"),
      .listening = sql.statement("listening"),
      .now = sql.statement("now"),
      .stats = sql.statement("stats"),
      .list = sql.statement("list"),
      .find = sql.statement("find"),
      .failures = sql.statement("failures"),
      .schema_lock = sql.statement("schema_lock"),
      .schema_present = sql.statement("schema_present"),
      .schema_version = sql.statement("schema_version"),
      .migrations = sql.migrations(),
  };
}

}  // namespace tq
