#include <optional>

#include "acknowledge.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Fail final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "fail", "Say that claimed jobs failed; they are tried again, or become dead",
        group::worker,
        "  tq fail JOB_ID GENERATION --error \"mail server refused it\"\n"
        "  tq fail JOB_ID GENERATION --error \"no route\" --retry-in 10m\n"
        "  tq fail JOB_ID GENERATION --error \"no such customer\" --dead\n\n"
        "Without --retry-in the wait grows with each attempt. A job whose attempts are used up\n"
        "becomes dead. Exit code 4: the lease was lost, or there is no such job; nothing is "
        "changed.");
    leases_.describe(*app);
    add_text(*app, "--error", error_, "Why, for people; at most 4,000 characters are kept")
        ->required();
    CLI::Option* retry = add_duration(*app, "--retry-in", retry_in_, "When to try again");
    app->add_flag("--dead", dead_, "Do not try again: the job becomes dead")->excludes(retry);
    return app;
  }

  Exit run(Session& session) override {
    return acknowledge(session, leases_.read(), [this](const Lease& lease, const Queue& queue) {
      Acknowledgement word{.lease = lease, .verb = Verb::failed, .error = error_};
      if (!dead_) {
        word.delay = retry_in_.value_or(queue.options().backoff.delay(lease.generation));
      }
      return word;
    });
  }

 private:
  Leases leases_;
  std::string error_;
  std::optional<Duration> retry_in_;
  bool dead_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fail() { return std::make_unique<Fail>(); }

}  // namespace tq::cli
