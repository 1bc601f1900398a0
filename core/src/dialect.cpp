#include "tq/dialect.hpp"

namespace tq {

Dialect make_dialect(Engine engine, const SqlFolder& sql) {
  return {
      .name = std::move(engine.name),
      .facts = engine.facts,
      .transaction = std::move(engine.transaction),
      .session = std::move(engine.session),
      .listen = std::move(engine.listen),
      .schema_setup = std::move(engine.schema_setup),
      .script = std::move(engine.script),
      .explain = std::move(engine.explain),
      .enqueue = sql.operation("enqueue"),
      .holder = sql.operation("holder"),
      .claim = {.settle = sql.operation("claim_settle"),
                .probe = sql.optional("claim_probe"),
                .pick = sql.operation("claim_pick"),
                .mark = sql.optional("claim_mark")},
      .extend = sql.operation("extend"),
      .finish = sql.operation("finish"),
      .expired = sql.operation("expired"),
      .retake = sql.operation("retake"),
      .cancel = sql.operation("cancel"),
      .requeue = sql.operation("requeue"),
      .purge = sql.operation("purge"),
      .pause = sql.statement("pause"),
      .resume = sql.statement("resume"),
      .listening = sql.statement("listening"),
      .now = sql.statement("now"),
      .stats = sql.statement("stats"),
      .finished = sql.statement("finished"),
      .list = sql.statement("list"),
      .find = sql.statement("find"),
      .failures = sql.statement("failures"),
      .doctor = sql.operation("doctor"),
      .schema_lock = sql.statement("schema_lock"),
      .schema_unlock = sql.optional("schema_unlock"),
      .schema_present = sql.statement("schema_present"),
      .schema_version = sql.statement("schema_version"),
      .migrations = sql.migrations(),
  };
}

}  // namespace tq
