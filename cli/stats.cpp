#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "commands.hpp"
#include "json.hpp"
#include "message.hpp"
#include "options.hpp"
#include "times.hpp"
#include "tq/error.hpp"
#include "usage_error.hpp"
#include "watch.hpp"

namespace tq::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration rate_span = 10s;
constexpr Duration shortest_interval = 100ms;
constexpr Duration longest_interval = 24h;

// A queue and how many jobs a second have finished in the last ten.
struct Line {
  QueueStats counts;
  double rate = 0;
};

struct Look {
  Timestamp at;
  std::vector<Line> lines;
};

std::string json(const Line& line, const std::optional<Timestamp>& at) {
  const QueueStats& queue = line.counts;
  JsonLine text;
  if (at) text.time("at", at);
  text.text("queue", queue.queue)
      .boolean("paused", queue.paused)
      .number("ready", queue.ready)
      .number("due", queue.due)
      .number("blocked", queue.blocked)
      .number("retrying", queue.retrying)
      .decimal("oldest_due_seconds", static_cast<double>(queue.oldest_due.count()) / 1e6)
      .number("running", queue.running)
      .number("expired", queue.expired)
      .decimal("rate", line.rate)
      .number("succeeded", queue.succeeded)
      .number("dead", queue.dead)
      .number("cancelled", queue.cancelled)
      .number("moved", queue.moved);
  return text.str();
}

std::string capped(std::int64_t count) {
  return fmt::format("{}{}", count, count >= QueueStats::final_count_cap ? "+" : "");
}

std::vector<std::string> table(const std::vector<Line>& lines) {
  constexpr auto right = Table::Align::right;
  Table table{{{"QUEUE"},
               {"READY", right},
               {"DUE", right},
               {"OLDEST DUE", right},
               {"BLOCKED", right},
               {"RETRYING", right},
               {"RUNNING", right},
               {"EXPIRED", right},
               {"RATE", right},
               {"SUCCEEDED", right},
               {"DEAD", right},
               {"CANCELLED", right},
               {"MOVED", right}}};
  for (const auto& [queue, rate] : lines) {
    table.row({queue.queue + (queue.paused ? " (paused)" : ""), std::to_string(queue.ready),
               std::to_string(queue.due), queue.due == 0 ? "-" : format_duration(queue.oldest_due),
               std::to_string(queue.blocked), std::to_string(queue.retrying),
               std::to_string(queue.running), std::to_string(queue.expired),
               fmt::format("{:.1f}/s", rate), capped(queue.succeeded), capped(queue.dead),
               capped(queue.cancelled), capped(queue.moved)});
  }
  return table.lines();
}

// Shows looks at a database until Ctrl-C, and connects again when the connection was lost.
class Watch {
 public:
  Watch(const Session& session, Duration interval)
      : session_(session), database_(session.database()), interval_(interval) {}

  template <class LookAt>
  [[noreturn]] void run(LookAt look_at) {
    connect();
    Look look = look_at(*connection_, database_.queue);  // what fails now has never worked
    Screen screen{session_.json ? ShowAs::lines : ShowAs::screen};
    std::string trouble;
    auto next = std::chrono::steady_clock::now();
    while (true) {
      screen.draw(shown(look, trouble, screen.drawn_over()));
      next = std::max(next + interval_, std::chrono::steady_clock::now());
      screen.wait(std::chrono::duration_cast<Duration>(next - std::chrono::steady_clock::now()));
      trouble.clear();
      try {
        if (!connection_ || !connection_->usable()) connect();
        look = look_at(*connection_, database_.queue);
      } catch (const Error& error) {
        connection_.reset();
        trouble = session_.without_secrets(error.what());
      }
      if (!trouble.empty() && !screen.drawn_over()) {
        report(trouble + "; trying again");
      }
    }
  }

 private:
  void connect() {
    connection_ = database_.connect();
    require_schema(*connection_, database_);
  }

  [[nodiscard]] std::vector<std::string> shown(const Look& look, const std::string& trouble,
                                               bool drawn_over) const {
    std::vector<std::string> lines;
    if (!trouble.empty() && !drawn_over) return lines;
    if (session_.json) {
      for (const Line& line : look.lines) lines.push_back(json(line, look.at));
      return lines;
    }
    lines.push_back(fmt::format("{}  {}, every {}", format_time_short(look.at), database_.shown,
                                format_duration(interval_)));
    lines.push_back(trouble.empty() ? "" : printable(trouble) + "; trying again");
    for (std::string& line : table(look.lines)) lines.push_back(std::move(line));
    if (!drawn_over) lines.emplace_back();
    return lines;
  }

  const Session& session_;
  Database database_;
  Duration interval_;
  std::unique_ptr<Connection> connection_;
};

class Stats final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "stats", "Count the jobs of each queue by state", group::look,
        "  tq stats\n"
        "  tq stats -q mail --json\n"
        "  tq stats --watch --interval 5s\n\n"
        "  DUE        ready, and their time has come\n"
        "  BLOCKED    ready, behind another job of their group\n"
        "  RETRYING   ready, after an attempt\n"
        "  EXPIRED    running, but the lease has ended; any worker, or tq reap, takes them back\n"
        "  RATE       jobs a second that succeeded, died or were cancelled in the last 10 s\n"
        "  SUCCEEDED  and the other final states are counted up to 10,000 each\n"
        "With --watch it goes on until Ctrl-C, which is exit code 0. A lost connection is made\n"
        "again. Where there is no terminal, or TERM is dumb, each look is a table; with --json it\n"
        "is a line for each queue.");
    add_text(*app, "-q,--queue", queue_, "Only this queue");
    CLI::Option* watch = app->add_flag("-w,--watch", watch_, "Look again and again");
    watch->disable_flag_override();
    add_duration(*app, "--interval", interval_, "With --watch: between looks (default 2s)")
        ->needs(watch);
    return app;
  }

  Exit run(Session& session) override {
    if (interval_ < shortest_interval || interval_ > longest_interval) {
      throw UsageError{fmt::format("--interval: {} is out of range; it must be from 100ms to 1d",
                                   format_duration(interval_))};
    }
    if (watch_) {
      Watch{session, interval_}.run(
          [this](Connection& connection, const Queue& queue) { return look(connection, queue); });
    }
    const Opened opened = open(session);
    const Look now = look(*opened.connection, opened.queue);
    for (const std::string& line : session.json ? std::vector<std::string>{} : table(now.lines)) {
      session.out.line(line);
    }
    for (const Line& line : now.lines) {
      if (session.json) session.out.line(json(line, {}));
    }
    return Exit::done;
  }

 private:
  [[nodiscard]] Look look(Connection& connection, const Queue& queue) const {
    Look look{.at = queue.now(connection), .lines = {}};
    for (QueueStats& counts : queue.stats(connection, queue_)) {
      const auto finished =
          static_cast<double>(queue.finished(connection, counts.queue, rate_span));
      look.lines.push_back(
          {std::move(counts), finished / std::chrono::duration<double>{rate_span}.count()});
    }
    return look;
  }

  std::optional<std::string> queue_;
  bool watch_ = false;
  Duration interval_ = 2s;
};

}  // namespace

std::unique_ptr<Command> make_stats() { return std::make_unique<Stats>(); }

}  // namespace tq::cli
