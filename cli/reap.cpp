#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Reap final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    return add_command(
        tq, "reap", "Take back running jobs whose lease has ended", group::operate,
        "  tq reap\n\n"
        "Each becomes ready again after a pause, or dead when its attempts are used\n"
        "up. Workers do this by themselves; it is for systems without one.");
  }

  Exit run(Session& session) override {
    const Opened opened = open(session);
    std::int64_t count = 0;
    while (const std::size_t batch = opened.queue.reap(*opened.connection, batch_size)) {
      count += static_cast<std::int64_t>(batch);
    }
    JsonLine line;
    line.number("reaped", count);
    session.out.line(session.json ? line.str() : fmt::format("reaped {}", count));
    return Exit::done;
  }

 private:
  static constexpr std::size_t batch_size = 500;
};

}  // namespace

std::unique_ptr<Command> make_reap() { return std::make_unique<Reap>(); }

}  // namespace tq::cli
