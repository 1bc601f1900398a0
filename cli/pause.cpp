#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Pause final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app =
        add_command(tq, "pause", "Stop claims from a queue; running jobs go on", group::operate,
                    "  tq pause mail\n\nJobs can still be added. tq resume lets claims go on.");
    add_text(*app, "QUEUE", queue_, "The queue")->required();
    return app;
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    opened.queue.pause(*opened.connection, queue_);
    JsonLine line;
    line.text("queue", queue_).boolean("paused", true);
    session.out.line(session.json ? line.str() : fmt::format("paused {}", queue_));
    return Exit::done;
  }

 private:
  std::string queue_;
};

}  // namespace

std::unique_ptr<Command> make_pause() { return std::make_unique<Pause>(); }

}  // namespace tq::cli
