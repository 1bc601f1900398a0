#include "commands.hpp"

namespace tq::cli {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {make_init,  make_enqueue, make_work,       make_claim,   make_extend, make_complete,
        make_fail,  make_snooze,  make_list,       make_show,    make_stats,  make_doctor,
        make_bench, make_engines, make_cancel,     make_requeue, make_pause,  make_resume,
        make_purge, make_reap,    make_completion, make_manual}) {
    commands.push_back(make());
  }
  return commands;
}

}  // namespace tq::cli
