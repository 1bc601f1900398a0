#include "examiner.hpp"

#include "watched.hpp"

namespace tq::conformance {
namespace {

constexpr auto day = std::chrono::hours{24};

}  // namespace

Examiner::Examiner(const Server& server, const Place& place)
    : server_(server), place_(place), queue_(place.dialect()), raw_(place.raw()) {
  // The digits 0 to 999,999 come from a product of this table with itself.
  const auto digits = place_.table("tqc_digit");
  raw_->execute("CREATE TABLE " + digits + " (d INTEGER)");
  for (int d = 0; d < 10; ++d) {
    raw_->execute("INSERT INTO " + digits + " (d) VALUES (" + std::to_string(d) + ")");
  }
}

void Examiner::insert(std::size_t n, const std::string& columns, const std::string& values) const {
  const auto digits = place_.table("tqc_digit");
  std::string from = digits + " a";
  std::string number = "a.d";
  std::size_t product = 10;
  for (const std::string alias : {"b", "c", "e", "f", "g"}) {
    from += " CROSS JOIN " + digits + " " + alias;
    number += " + " + std::to_string(product) + " * " + alias + ".d";
    product *= 10;
    if (product >= n) break;
  }
  raw_->execute("INSERT INTO " + place_.table("tq_job") + " (" + columns + ") SELECT " + values +
                " FROM " + from + " WHERE " + number + " < " + std::to_string(n));
}

void Examiner::load(std::size_t n, const std::string& priority, const std::string& queue) const {
  insert(n, "queue, kind, payload, priority", "'" + queue + "', 'k', '{}', " + priority);
}

void Examiner::load_finished(std::size_t n) const {
  // A final row needs its time, and what time it is now another row says.
  queue_.enqueue(*place_.open(), {.queue = "q", .kind = "anchor", .delay = day});
  const auto now =
      "(SELECT MIN(created_at) FROM " + place_.table("tq_job") + " WHERE kind = 'anchor')";
  insert(n, "queue, kind, payload, state, attempts, finished_at",
         "'q', 'k', '{}', 'succeeded', 1, " + now);
}

void Examiner::load_future(std::size_t n, const std::string& priority) const {
  queue_.enqueue(*place_.open(), {.queue = "q", .kind = "future", .delay = day});
  const auto tomorrow =
      "(SELECT MIN(run_at) FROM " + place_.table("tq_job") + " WHERE kind = 'future')";
  insert(n, "queue, kind, payload, priority, run_at",
         "'q', 'k', '{}', " + priority + ", " + tomorrow);
}

void Examiner::load_blocked_group(std::size_t n, std::size_t groups) const {
  const auto connection = place_.open();
  std::vector<NewJob> jobs;
  for (std::size_t i = 0; i < groups; ++i) {
    jobs.push_back({.queue = "q",
                    .kind = "k",
                    .priority = highest_priority,
                    .delay = day,
                    .group_key = "g" + std::to_string(i)});
  }
  queue_.enqueue(*connection, jobs);
  for (auto& job : jobs) job.delay = {};
  for (std::size_t i = 0; i < n / groups; ++i) queue_.enqueue(*connection, jobs);
}

void Examiner::settle() const {
  const auto connection = place_.open();
  constexpr int enough = 60;
  for (int i = 0; i < enough; ++i) {
    for (const auto& job : queue_.claim(*connection, {.queue = "q", .worker = "settler"})) {
      (void)queue_.release(*connection, job.lease());
    }
  }
}

Examination Examiner::examine(const std::function<std::size_t(Connection&)>& body) const {
  Examination all;
  const auto borrowed = raw_->borrow();
  Watched watched{*borrowed};
  watched.before_run = [&](const Statement& statement, std::span<const Argument> arguments) {
    const auto one = place_.examine(*raw_, statement, arguments);
    all.work += one.work;
    all.plans += "-- " + one.statement + ", work " + std::to_string(one.work) + "\n" + one.plan;
    if (!one.objection.empty()) all.objections += one.statement + ": " + one.objection + "; ";
  };
  raw_->execute(server_.texts.begin);
  all.rows = body(watched);
  raw_->execute(server_.texts.rollback);
  return all;
}

Examination Examiner::claim(std::size_t n) const {
  return examine([&](Connection& connection) {
    return queue_.claim(connection, {.queue = "q", .worker = "w", .limit = n}).size();
  });
}

Examination Examiner::reap() const {
  return examine([&](Connection& connection) { return queue_.reap(connection); });
}

Examination Examiner::purge(Duration older_than) const {
  return examine([&](Connection& connection) {
    return queue_.purge(connection, {.queue = "q", .older_than = older_than});
  });
}

Examination Examiner::stats() const {
  return examine([&](Connection& connection) { return queue_.stats(connection, "q").size(); });
}

Examination Examiner::finished(Duration span) const {
  return examine([&](Connection& connection) {
    return static_cast<std::size_t>(queue_.finished(connection, "q", span));
  });
}

}  // namespace tq::conformance
