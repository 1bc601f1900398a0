// The manual page, made from the program's own description.
#pragma once

#include <string>

#include "program_text.hpp"

namespace tq::cli {

/// The page tq(1) as man(7) text. `day`: "2026-01-31".
[[nodiscard]] std::string man_page(const ProgramText& tq, const std::string& day);

}  // namespace tq::cli
