#include "tq/sqlite.hpp"

#include "embedded.hpp"

namespace tq {

Dialect sqlite(const DialectOptions& options) {
  return make_dialect(
      {.name = "sqlite",
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
       .schema_setup = {}},
      SqlFolder{embedded::sqlite(), options});
}

}  // namespace tq
