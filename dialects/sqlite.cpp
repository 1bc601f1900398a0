#include "tq/sqlite.hpp"

#include "embedded.hpp"

namespace tq {
namespace {

constexpr auto missing_index =
    "no index serves it; the script of `tq init --print` makes those that are missing";

}  // namespace

Dialect sqlite(const DialectOptions& options) {
  return make_dialect(
      {.name = "sqlite",
       .facts = {.concurrent_writers = false,
                 .clock_resolution = std::chrono::milliseconds{1},
                 .announces = true,
                 .named_schema = true,
                 .error_fails_transaction = false,
                 .ddl_commits = false},
       // A deferred transaction that turns into a writer later is refused if anyone has committed
       // since it began to read.
       .transaction = {.begin = "BEGIN IMMEDIATE"},
       .session = {},
       // Each commit shows in PRAGMA data_version, without anyone having asked for it.
       .listen = {},
       // An attached database is there or it is not; no statement makes one.
       .schema_setup = {},
       // Most statements name their index (INDEXED BY), so without it there is no plan at all.
       // https://www.sqlite.org/eqp.html
       .script = {.opening = "BEGIN IMMEDIATE;\n\n", .step_end = ";\n\n", .closing = "COMMIT;\n"},
       .explain = {.prefix = "EXPLAIN QUERY PLAN ",
                   .answer = {{"id", Type::int64},
                              {"parent", Type::int64},
                              {"notused", Type::int64},
                              {"detail", Type::text}},
                   .settings = {},
                   .unwanted = {{"SCAN tq_job", missing_index},
                                {"SCAN job", missing_index},
                                {"AUTOMATIC", missing_index}}}},
      SqlFolder{embedded::sqlite(), options});
}

}  // namespace tq
