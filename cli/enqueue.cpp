#include <fmt/format.h>

#include <array>
#include <iostream>

#include "bulk_enqueue.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

constexpr const char* examples =
    "  tq enqueue -q mail welcome '{\"to\": \"ann@example.org\"}'\n"
    "  tq enqueue -q mail reminder '{}' --delay 2h --priority 5 --unique reminder-17\n"
    "  tq enqueue -q mail letter - < letter.json\n"
    "  tq enqueue --from jobs.ndjson\n"
    "  generate | tq enqueue -q mail welcome --from -\n\n"
    "--from reads one JSON object a line, with the members queue, kind, payload, priority, "
    "run_at,\n"
    "delay, max_attempts, unique_key, group_key, job_id; the options are the defaults for lines\n"
    "without. All lines are stored in one transaction, or none. What tq list --json prints can be\n"
    "read again: its other members are passed over. A payload is stored as it stands in its line,\n"
    "without the blanks around it; list makes line breaks between its tokens blanks. PAYLOAD, and\n"
    "standard input for -, are stored byte for byte.\n"
    "Prints one id a line: of the new job, or of the active one that holds the unique key.";

class Enqueue final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app =
        add_command(tq, "enqueue", "Add one job, or many from NDJSON", group::producer, examples);
    add_text(*app, "KIND", job_.kind, "What kind of job it is: chooses its handler");
    add_text(*app, "PAYLOAD", payload_, "JSON text, - for standard input (default {})");
    add_text(*app, "-q,--queue", job_.queue, "The queue to add to");
    add_number(*app, "--priority", job_.priority, {lowest_priority, highest_priority},
               "-10..10, higher first");
    CLI::Option* delay = add_duration(*app, "--delay", job_.delay, "Not before this time from now");
    add_time(*app, "--run-at", job_.run_at, "Not before this time")->excludes(delay);
    add_number(*app, "--max-attempts", job_.max_attempts, {1, 1'000'000},
               "How often it may be claimed");
    add_text(*app, "--unique", job_.unique_key,
             "At most one ready or running job of the queue has this key");
    add_text(*app, "--group", job_.group_key, "Jobs of a group run one at a time, in order");
    add_text(*app, "--from", from_, "Read jobs from this file of NDJSON; - for standard input")
        ->type_name("FILE");
    return app;
  }

  Exit run(Session& session) override {
    if (from_) return run_bulk(session);
    if (job_.kind.empty())
      throw UsageError{"the kind is missing: tq enqueue -q QUEUE KIND PAYLOAD"};
    if (job_.queue.empty()) throw UsageError{"the queue is missing: give -q QUEUE"};
    job_.payload = payload_ == "-" ? standard_input() : payload_;
    // Without a database too, bad input is bad input.
    session.database().queue.check(std::span{&job_, 1});
    const Opened opened = open(session);
    print_enqueued(session, opened.queue.enqueue(*opened.connection, std::span{&job_, 1}));
    return Exit::done;
  }

 private:
  Exit run_bulk(Session& session) {
    if (job_.unique_key) {
      throw UsageError{"--unique cannot be the same for every line; write unique_key in the lines"};
    }
    if (payload_ == "-") throw UsageError{"with --from the payload is not read from - as well"};
    job_.payload = payload_;
    return bulk_enqueue(session, *from_, job_);
  }

  static std::string standard_input() {
    std::string text;
    std::array<char, 1U << 16U> buffer{};
    while (std::cin.read(buffer.data(), buffer.size()) || std::cin.gcount() > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(std::cin.gcount()));
    }
    if (std::cin.bad()) throw UsageError{"cannot read standard input"};
    return text;
  }

  NewJob job_;
  std::string payload_ = "{}";
  std::optional<std::string> from_;
};

}  // namespace

std::unique_ptr<Command> make_enqueue() { return std::make_unique<Enqueue>(); }

}  // namespace tq::cli
