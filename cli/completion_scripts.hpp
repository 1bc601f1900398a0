// Completion scripts for shells, made from the program's own description.
#pragma once

#include <string>

#include "program_text.hpp"

namespace tq::cli {

[[nodiscard]] std::string bash_completion(const ProgramText& tq);
[[nodiscard]] std::string zsh_completion(const ProgramText& tq);
[[nodiscard]] std::string fish_completion(const ProgramText& tq);

}  // namespace tq::cli
