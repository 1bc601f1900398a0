#include "tq/sqlite.hpp"

#include "embedded.hpp"

namespace tq {

Dialect sqlite(const DialectOptions& options) {
  const SqlFolder sql{embedded::sqlite(), options};
  return {
      .name = "sqlite",
      .facts = {.concurrent_writers = false,
                .clock_resolution = std::chrono::milliseconds{1},
                .announces = true,
                .named_schema = true,
                .error_fails_transaction = false},
      // A deferred transaction that turns into a writer later is refused if anyone has committed
      // since it began to read.
      .transaction = {.begin = "BEGIN IMMEDIATE"},
      .session = {},
      // Each commit shows in PRAGMA data_version, without anyone having asked for it.
      .listen = {},
      // An attached database is there or it is not; no statement makes one.
      .schema_setup = {},
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
