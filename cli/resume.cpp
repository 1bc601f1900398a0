#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Resume final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "resume", "Let claims from a paused queue go on",
                                group::operate, "  tq resume mail");
    add_text(*app, "QUEUE", queue_, "The queue")->required();
    return app;
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    opened.queue.resume(*opened.connection, queue_);
    JsonLine line;
    line.text("queue", queue_).boolean("paused", false);
    session.out.line(session.json ? line.str() : fmt::format("resumed {}", queue_));
    return Exit::done;
  }

 private:
  std::string queue_;
};

}  // namespace

std::unique_ptr<Command> make_resume() { return std::make_unique<Resume>(); }

}  // namespace tq::cli
