#include "parts.hpp"

namespace tq::bench {
namespace {

// https://www.postgresql.org/docs/current/runtime-config-wal.html
// https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html
// https://www.sqlite.org/pragma.html#pragma_synchronous
std::string durability_query(const Dialect& dialect) {
  if (dialect.name == "postgresql") {
    return "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', "
           "'full_page_writes') ORDER BY name";
  }
  if (dialect.name == "mysql") {
    return "SELECT 'innodb_flush_log_at_trx_commit' AS name, "
           "CAST(@@innodb_flush_log_at_trx_commit AS CHAR) AS setting "
           "UNION ALL SELECT 'log_bin', CAST(@@log_bin AS CHAR) "
           "UNION ALL SELECT 'sync_binlog', CAST(@@sync_binlog AS CHAR)";
  }
  if (dialect.name == "sqlite") {
    return "SELECT 'journal_mode' AS name, journal_mode AS setting FROM pragma_journal_mode "
           "UNION ALL SELECT 'synchronous', CAST(synchronous AS TEXT) FROM pragma_synchronous";
  }
  return {};
}

}  // namespace

std::string durability(Connection& connection, const Dialect& dialect) {
  const auto query = durability_query(dialect);
  if (query.empty()) return {};
  const Statement statement{"durability", query, {}, {{.name = "name"}, {.name = "setting"}}};
  const auto rows = connection.run(statement, {});
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) text += ' ';
    text += tq::text(rows[i][0]) + "=" + tq::text(rows[i][1]);
  }
  return text;
}

const std::vector<Workload>& all_workloads() {
  static const std::vector<Workload> all{
      {"enqueue-one",
       "one job a transaction, on several connections",
       {.jobs = 4'000},
       &enqueue_one},
      {"enqueue-bulk",
       "1,000 jobs a call, on several connections",
       {.jobs = 100'000},
       &enqueue_bulk},
      {"drain-one",
       "complete 1 and claim the next, on several connections",
       {.jobs = 4'000},
       &drain_one},
      {"drain",
       "worker processes empty a queue of jobs that do nothing",
       {.jobs = 100'000},
       &drain},
      {"steady",
       "producers and a worker at once, with a bounded backlog",
       {.seconds = 10},
       &steady},
      {"latency",
       "from a job's enqueue to its handler's start, the queue being idle",
       {.jobs = 200},
       &latency},
      {"backlog",
       "one claim of 10 beside so many ready jobs, against 1,000",
       {.jobs = 1'000'000},
       &backlog},
      {"finished",
       "the same beside so many finished jobs, against none",
       {.jobs = 1'000'000},
       &finished},
      {"future",
       "the same beside so many jobs of priority 10 that are due tomorrow",
       {.jobs = 1'000'000},
       &future},
      {"snapshot",
       "drain after so many seconds of churn beside an open snapshot, against without",
       {.jobs = 50'000, .seconds = 300},
       &snapshot},
      {"groups",
       "drain of jobs in groups of four, a tenth of them blocked, against none",
       {.jobs = 40'000},
       &groups},
      {"memory", "peak memory of a worker that drains so many jobs", {.jobs = 1'000'000}, &memory},
  };
  return all;
}

}  // namespace tq::bench
