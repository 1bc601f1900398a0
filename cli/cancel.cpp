#include <fmt/format.h>

#include <array>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace tq::cli {
namespace {

class Cancel final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app =
        add_command(tq, "cancel", "Cancel ready jobs, and ask running ones to stop", group::operate,
                    "  tq cancel JOB_ID\n"
                    "  tq cancel --all -q mail --kind newsletter --yes\n\n"
                    "A running job is told by its worker's next heartbeat. A job that is finished\n"
                    "stays as it is. Exit code 3: one of the ids is of no job.");
    selection_.describe(*app);
    return app;
  }

  Exit run(Session& session) override {
    selection_.check();
    const Opened opened = open(session);
    Exit exit = Exit::done;
    const auto cancel = [&](std::span<const JobId> jobs) {
      const std::vector<Cancelled> answers = opened.queue.cancel(*opened.connection, jobs);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        print(session, jobs[i], answers[i]);
        if (answers[i] == Cancelled::gone) exit = Exit::nothing;
      }
    };
    if (!selection_.by_filter()) {
      cancel(selection_.ids());
      return exit;
    }
    constexpr std::array active{State::ready, State::running};
    selection_.for_each_page(opened, active, "cancel", cancel);
    return Exit::done;  // a job that was purged meanwhile is no unknown one
  }

 private:
  static void print(Session& session, JobId job, Cancelled answer) {
    JsonLine line;
    line.text("job_id", job.text()).text("outcome", name(answer));
    session.out.line(session.json ? line.str() : fmt::format("{} {}", job.text(), name(answer)));
  }

  Selection selection_;
};

}  // namespace

std::unique_ptr<Command> make_cancel() { return std::make_unique<Cancel>(); }

}  // namespace tq::cli
