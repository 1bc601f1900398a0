#include "acknowledge.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Snooze final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "snooze", "Give claimed jobs back for later; no attempt is used up", group::worker,
        "  tq snooze JOB_ID GENERATION --for 5m\n\n"
        "Exit code 4: the lease was lost, or there is no such job; nothing is changed.");
    leases_.describe(*app);
    add_duration(*app, "--for", delay_, "Until it is due again")->required();
    return app;
  }

  Exit run(Session& session) override {
    return acknowledge(session, leases_.read(), [this](const Lease& lease, const Queue&) {
      return Acknowledgement{.lease = lease, .verb = Verb::snoozed, .delay = delay_};
    });
  }

 private:
  Leases leases_;
  Duration delay_ = {};
};

}  // namespace

std::unique_ptr<Command> make_snooze() { return std::make_unique<Snooze>(); }

}  // namespace tq::cli
