#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "times.hpp"

namespace tq::cli {
namespace {

class Stats final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "stats", "Count the jobs of each queue by state", group::look,
        "  tq stats\n"
        "  tq stats -q mail --json\n\n"
        "DUE: ready and their time has come. BLOCKED: behind another job of their group.\n"
        "EXPIRED: running, but the lease has ended; tq reap or any worker takes them back.\n"
        "Final jobs are counted up to 10,000 of each state.");
    add_text(*app, "-q,--queue", queue_, "Only this queue");
    return app;
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    const std::vector<QueueStats> queues = opened.queue.stats(*opened.connection, queue_);
    if (session.json) {
      for (const QueueStats& queue : queues) session.out.line(json(queue));
    } else {
      print_table(session, queues);
    }
    return Exit::done;
  }

 private:
  static std::string json(const QueueStats& queue) {
    JsonLine line;
    line.text("queue", queue.queue)
        .boolean("paused", queue.paused)
        .number("ready", queue.ready)
        .number("due", queue.due)
        .number("blocked", queue.blocked)
        .number("retrying", queue.retrying)
        .decimal("oldest_due_seconds", static_cast<double>(queue.oldest_due.count()) / 1e6)
        .number("running", queue.running)
        .number("expired", queue.expired)
        .number("succeeded", queue.succeeded)
        .number("dead", queue.dead)
        .number("cancelled", queue.cancelled)
        .number("moved", queue.moved);
    return line.str();
  }

  static std::string capped(std::int64_t count) {
    return fmt::format("{}{}", count, count >= QueueStats::final_count_cap ? "+" : "");
  }

  static void print_table(Session& session, const std::vector<QueueStats>& queues) {
    constexpr auto right = Table::Align::right;
    Table table{{{"QUEUE"},
                 {"READY", right},
                 {"DUE", right},
                 {"OLDEST DUE", right},
                 {"BLOCKED", right},
                 {"RETRYING", right},
                 {"RUNNING", right},
                 {"EXPIRED", right},
                 {"SUCCEEDED", right},
                 {"DEAD", right},
                 {"CANCELLED", right},
                 {"MOVED", right}}};
    for (const QueueStats& queue : queues) {
      table.row(
          {queue.queue + (queue.paused ? " (paused)" : ""), std::to_string(queue.ready),
           std::to_string(queue.due), queue.due == 0 ? "-" : format_duration(queue.oldest_due),
           std::to_string(queue.blocked), std::to_string(queue.retrying),
           std::to_string(queue.running), std::to_string(queue.expired), capped(queue.succeeded),
           capped(queue.dead), capped(queue.cancelled), capped(queue.moved)});
    }
    table.print(session.out);
  }

  std::optional<std::string> queue_;
};

}  // namespace

std::unique_ptr<Command> make_stats() { return std::make_unique<Stats>(); }

}  // namespace tq::cli
