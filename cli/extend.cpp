#include <fmt/format.h>

#include "acknowledge.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "times.hpp"

namespace tq::cli {
namespace {

class Extend final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "extend", "Make the lease of claimed jobs longer", group::worker,
        "  tq extend JOB_ID GENERATION --lease 5m\n\n"
        "The lease then ends that long after now. The answer says also whether somebody asked\n"
        "for the job to stop. Exit code 4: the lease was lost, or there is no such job; stop "
        "working on it.");
    leases_.describe(*app);
    add_duration(*app, "--lease", lease_, "From now on (default 60s)");
    return app;
  }

  Exit run(Session& session) override {
    const std::vector<Lease> leases = leases_.read();
    const Opened opened = open(session);
    Exit exit = Exit::done;
    std::vector<Extension> answers = opened.queue.extend(*opened.connection, leases, lease_);
    for (std::size_t i = 0; i < leases.size(); ++i) {
      // Asked alone, it waits for whoever holds the row.
      if (answers[i].outcome == Finish::busy) {
        answers[i] = opened.queue.extend(*opened.connection, leases[i], lease_);
      }
      print(session, leases[i], answers[i]);
      if (answers[i].outcome != Finish::done) exit = Exit::lost;
    }
    return exit;
  }

 private:
  static void print(Session& session, const Lease& lease, const Extension& answer) {
    const bool done = answer.outcome == Finish::done;
    if (session.json) {
      JsonLine line;
      line.text("job_id", lease.job_id.text())
          .number("generation", lease.generation)
          .text("outcome", name(answer.outcome))
          .time("lease_until", done ? std::optional{answer.lease_until} : std::nullopt)
          .boolean("cancel_requested", answer.cancel_requested);
      session.out.line(line.str());
      return;
    }
    session.out.line(fmt::format("{} {} {}{}{}", lease.job_id.text(), lease.generation,
                                 name(answer.outcome),
                                 done ? " until " + format_time(answer.lease_until) : std::string{},
                                 answer.cancel_requested ? "; asked to stop" : ""));
  }

  Leases leases_;
  Duration lease_ = std::chrono::seconds{60};
};

}  // namespace

std::unique_ptr<Command> make_extend() { return std::make_unique<Extend>(); }

}  // namespace tq::cli
