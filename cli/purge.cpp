#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

class Purge final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app =
        add_command(tq, "purge", "Delete old finished jobs with their failures", group::operate,
                    "  tq purge --older-than 7d\n"
                    "  tq purge --older-than 90d --state dead -q mail\n\n"
                    "Without --state: succeeded and cancelled ones. Dead and moved jobs go only "
                    "when asked for.");
    add_duration(*app, "--older-than", request_.older_than, "Since they finished")->required();
    add_states(*app, "--state", states_, "succeeded, cancelled, dead or moved; may be repeated");
    add_text(*app, "-q,--queue", request_.queue, "Only of this queue");
    return app;
  }

  Exit run(Session& session) override {
    if (states_.empty()) states_ = {State::succeeded, State::cancelled};
    for (const State state : states_) {
      if (!final(state)) {
        throw UsageError{fmt::format("{} jobs are not finished and cannot be purged", name(state))};
      }
    }
    const Opened opened = open(session);
    for (const State state : states_) {
      request_.state = state;
      const std::int64_t count = purge(opened);
      JsonLine line;
      line.text("state", name(state)).number("purged", count);
      session.out.line(session.json ? line.str() : fmt::format("purged {} {}", count, name(state)));
    }
    return Exit::done;
  }

 private:
  std::int64_t purge(const Opened& opened) const {
    std::int64_t count = 0;
    while (const std::size_t batch = opened.queue.purge(*opened.connection, request_)) {
      count += static_cast<std::int64_t>(batch);
    }
    return count;
  }

  PurgeRequest request_;
  std::vector<State> states_;
};

}  // namespace

std::unique_ptr<Command> make_purge() { return std::make_unique<Purge>(); }

}  // namespace tq::cli
