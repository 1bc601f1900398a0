#include <fmt/format.h>

#include <array>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace tq::cli {
namespace {

using Outcome = Requeued::Outcome;

Exit exit_of(Outcome outcome) {
  if (outcome == Outcome::requeued) return Exit::done;
  return outcome == Outcome::gone ? Exit::nothing : Exit::failed;
}

class Requeue final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "requeue", "Make dead jobs ready again", group::operate,
        "  tq requeue JOB_ID\n"
        "  tq requeue --all -q mail --extra-attempts 3 --yes\n\n"
        "A job keeps its id, payload and attempts. Exit code 1: one is not dead, or its unique\n"
        "key is held by another job. Exit code 3: one of the ids is of no job.");
    selection_.describe(*app);
    add_number(*app, "--extra-attempts", extra_attempts_, {1, 1'000'000},
               "Claims on top of those already made");
    return app;
  }

  Exit run(Session& session) override {
    selection_.check();
    const Opened opened = open(session);
    Exit exit = Exit::done;
    const auto requeue = [&](std::span<const JobId> jobs) {
      const auto answers = opened.queue.requeue(*opened.connection, jobs, extra_attempts_);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        print(session, jobs[i], answers[i]);
        exit = worse(exit, exit_of(answers[i].outcome));
      }
    };
    if (selection_.by_filter()) {
      constexpr std::array dead{State::dead};
      selection_.for_each_page(opened, dead, "requeue", requeue);
    } else {
      requeue(selection_.ids());
    }
    return exit;
  }

 private:
  static void print(Session& session, JobId job, const Requeued& answer) {
    const bool held = answer.outcome == Outcome::held;
    if (session.json) {
      JsonLine line;
      line.text("job_id", job.text())
          .text("outcome", name(answer.outcome))
          .optional_text("holder", held ? std::optional{answer.holder.text()} : std::nullopt);
      session.out.line(line.str());
      return;
    }
    session.out.line(fmt::format("{} {}{}", job.text(), name(answer.outcome),
                                 held ? " by " + answer.holder.text() : std::string{}));
  }

  Selection selection_;
  int extra_attempts_ = 1;
};

}  // namespace

std::unique_ptr<Command> make_requeue() { return std::make_unique<Requeue>(); }

}  // namespace tq::cli
