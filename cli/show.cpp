#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "message.hpp"
#include "options.hpp"
#include "times.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

class Show final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "show", "Show one job with its failures", group::look,
                                "  tq show JOB_ID\n"
                                "  tq show JOB_ID --payload > payload.json\n\n"
                                "Exit code 3: no such job. Exit code 2: the prefix is not unique.");
    add_text(*app, "JOB_ID", prefix_, "The job's id, or a beginning of it that is unique")
        ->required();
    app->add_flag("--payload", payload_, "Only the payload, exactly as it was stored");
    return app;
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    const std::vector<JobRow> rows = opened.queue.find(*opened.connection, prefix_);
    if (rows.empty()) {
      report(fmt::format("there is no job {}", prefix_));
      return Exit::nothing;
    }
    if (rows.size() > 1) {
      throw UsageError{fmt::format("several jobs begin with {}, among them {} and {}", prefix_,
                                   rows[0].job_id.text(), rows[1].job_id.text())};
    }
    const JobRow& job = rows.front();
    if (payload_) {
      session.out.write(job.payload);
      return Exit::done;
    }
    const auto failures = opened.queue.failures(*opened.connection, job.job_id);
    if (session.json) {
      print_json(session, job, failures);
    } else {
      print_text(session, job, failures);
    }
    return Exit::done;
  }

 private:
  static void print_json(Session& session, const JobRow& job,
                         const std::vector<JobFailure>& failures) {
    std::string array = "[";
    for (const JobFailure& failure : failures) {
      JsonLine line;
      line.number("generation", failure.generation)
          .text("worker", failure.worker)
          .time("failed_at", failure.failed_at)
          .text("error", failure.error);
      if (array.size() > 1) array += ',';
      array += line.str();
    }
    session.out.line(job_json(job).raw("failures", array + "]").str());
  }

  static void print_text(Session& session, const JobRow& job,
                         const std::vector<JobFailure>& failures) {
    const auto field = [&](std::string_view name, const std::optional<std::string>& value) {
      if (value) session.out.line(fmt::format("{:<20} {}", name, printable(*value)));
    };
    const auto time = [&](std::string_view name, const std::optional<Timestamp>& value) {
      if (value) field(name, format_time(*value));
    };
    field("job_id", job.job_id.text());
    field("queue", job.queue);
    field("kind", job.kind);
    field("state", std::string{name(job.state)});
    field("priority", std::to_string(job.priority));
    time("run_at", job.run_at);
    time("created_at", job.created_at);
    field("attempts", fmt::format("{} of {}", job.attempts, job.max_attempts));
    field("worker_id", job.worker_id);
    time("lease_until", job.lease_until);
    time("finished_at", job.finished_at);
    field("last_worker", job.last_worker);
    field("last_outcome", job.last_outcome);
    field("last_error", job.last_error);
    time("cancel_requested_at", job.cancel_requested_at);
    field("unique_key", job.unique_key);
    field("group_key", job.group_key);
    field("origin", job.origin);
    field("payload", job.payload);
    for (const JobFailure& failure : failures) {
      field(fmt::format("failure {}", failure.generation),
            fmt::format("{} by {}: {}", format_time(failure.failed_at), failure.worker,
                        failure.error));
    }
  }

  std::string prefix_;
  bool payload_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace tq::cli
