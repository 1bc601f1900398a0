#include "parts.hpp"

namespace tq::bench {
namespace {

constexpr std::size_t jobs_a_round = 5'000;

// A transaction that sees the database as it is now, for as long as it is open.
std::string begin_snapshot(const Dialect& dialect) {
  if (dialect.name == "postgresql") return "BEGIN ISOLATION LEVEL REPEATABLE READ";
  if (dialect.name == "mysql") return "START TRANSACTION WITH CONSISTENT SNAPSHOT";
  throw Error{Errc::unsupported,
              "the workload snapshot is for PostgreSQL, MySQL and MariaDB, where an open "
              "transaction keeps what others have deleted"};
}

std::int64_t churn(const Target& target, const Size& size, std::int64_t until) {
  std::int64_t jobs = 0;
  const auto hands = target.hands(size);
  while (monotonic() < until) {
    load(target, size, jobs_a_round);
    while (const std::size_t claimed = hands->claim(size.batch)) {
      jobs += static_cast<std::int64_t>(claimed);
      hands->complete();
    }
  }
  return jobs;
}

Result churn_and_drain(const Target& target, const Size& size) {
  const auto churned = churn(target, size, monotonic() + size.seconds * std::int64_t{1'000'000});
  load(target, size, size.jobs);
  auto result = drained_by_workers(target, size, size.jobs);
  result.lost += churned;  // all that ever were stored are finished now
  result.jobs += churned;
  return result;
}

}  // namespace

// The drain after `seconds` of churn beside an open snapshot, against the same without one.
Result snapshot(const Target& target, const Size& size) {
  const auto begin = begin_snapshot(target.queue.dialect());
  const auto without = churn_and_drain(target.another(), size);
  const auto holder = target.connect();
  holder->begin({.begin = begin});
  static_cast<void>(target.queue.stats(*holder));  // the snapshot is taken by the first look
  auto result = churn_and_drain(target, size);
  holder->rollback();
  const double rate = result.value;
  result.unit = "ratio";
  result.value = rate / without.value;
  result.more = {
      {"jobs/s", rate},
      {"jobs/s without", without.value},
      {"jobs churned", static_cast<double>(result.jobs) - static_cast<double>(size.jobs)}};
  result.lost += without.lost;
  result.doubled += without.doubled;
  result.stale += without.stale;
  return result;
}

}  // namespace tq::bench
