// One maker for each command; each is defined in the file of the command's name.
#pragma once

#include <memory>

#include "command.hpp"

namespace tq::cli {

std::unique_ptr<Command> make_init();
std::unique_ptr<Command> make_enqueue();
std::unique_ptr<Command> make_claim();
std::unique_ptr<Command> make_extend();
std::unique_ptr<Command> make_complete();
std::unique_ptr<Command> make_fail();
std::unique_ptr<Command> make_snooze();
std::unique_ptr<Command> make_work();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_stats();
std::unique_ptr<Command> make_cancel();
std::unique_ptr<Command> make_requeue();
std::unique_ptr<Command> make_pause();
std::unique_ptr<Command> make_resume();
std::unique_ptr<Command> make_purge();
std::unique_ptr<Command> make_reap();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_bench();
std::unique_ptr<Command> make_engines();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_manual();

}  // namespace tq::cli
