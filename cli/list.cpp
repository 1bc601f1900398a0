#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "json.hpp"
#include "message.hpp"
#include "options.hpp"
#include "times.hpp"

namespace tq::cli {
namespace {

constexpr std::size_t page_size = 200;  // payloads may be a megabyte each

class List final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "list", "List jobs in the order of their ids", group::look,
                                "  tq list -q mail --state dead\n"
                                "  tq list --limit 1000 --json > page1.ndjson\n"
                                "  tq list --after JOB_ID\n\n"
                                "What --json prints, tq enqueue --from reads. A job is one line "
                                "there, so line\n"
                                "breaks between the tokens of a payload are blanks; tq show "
                                "JOB_ID --payload\n"
                                "prints it exactly.");
    add_text(*app, "-q,--queue", filter_.queue, "Only of this queue");
    add_text(*app, "--kind", filter_.kind, "Only of this kind");
    add_state(*app, "--state", filter_.state,
              "Only in this state: ready, running, succeeded, dead, cancelled, moved");
    add_number(*app, "-n,--limit", limit_, {0, 1'000'000'000}, "At most so many; 0: all");
    add_id(*app, "--after", filter_.after, "Go on behind this id, the last of the page before");
    return app;
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    Table table{{{"JOB_ID"},
                 {"QUEUE"},
                 {"KIND"},
                 {"STATE"},
                 {"PRI", Table::Align::right},
                 {"ATTEMPTS", Table::Align::right},
                 {"RUN AT"},
                 {"LAST ERROR"}}};
    std::size_t left = limit_;
    bool more = true;
    while (more) {
      filter_.limit = limit_ == 0 ? page_size : std::min(left, page_size);
      const std::vector<JobRow> rows = opened.queue.list(*opened.connection, filter_);
      for (const JobRow& row : rows) {
        if (session.json) session.out.line(job_json(row).str());
        if (!session.json) add(table, row);
      }
      if (!rows.empty()) filter_.after = rows.back().job_id;
      left -= std::min(left, rows.size());
      more = rows.size() == filter_.limit && (limit_ == 0 || left > 0);
    }
    if (session.json) return Exit::done;
    table.print(session.out);
    if (limit_ > 0 && left == 0) {
      session.out.flush();
      tell(fmt::format("There may be more: tq list --after {}", filter_.after->text()));
    }
    return Exit::done;
  }

 private:
  static void add(Table& table, const JobRow& row) {
    constexpr std::size_t error_characters = 40;
    table.row({row.job_id.text(), row.queue, row.kind, std::string{name(row.state)},
               std::to_string(row.priority), fmt::format("{}/{}", row.attempts, row.max_attempts),
               format_time_short(row.run_at),
               shortened(row.last_error.value_or(""), error_characters)});
  }

  ListRequest filter_;
  std::size_t limit_ = 100;
};

}  // namespace

std::unique_ptr<Command> make_list() { return std::make_unique<List>(); }

}  // namespace tq::cli
