#include "acknowledge.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Complete final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "complete", "Say that claimed jobs are done", group::worker,
        "  tq complete JOB_ID GENERATION\n"
        "  tq claim -q mail -n 50 | send-all | jq -r '\"\\(.job_id) \\(.generation)\"' |\n"
        "    tq complete -\n\n"
        "Exit code 4: the lease was lost, or there is no such job; nothing is changed.");
    leases_.describe(*app);
    return app;
  }

  Exit run(Session& session) override {
    return acknowledge(session, leases_.read(), [](const Lease& lease, const Queue&) {
      return Acknowledgement{.lease = lease, .verb = Verb::completed};
    });
  }

 private:
  Leases leases_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace tq::cli
