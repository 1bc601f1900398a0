// What the files of backends/ share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backend.hpp"

namespace tq::conformance {

/// Whether a place is removed when its object goes.
enum class Ownership : std::uint8_t { made, found };

/// `prefix`, this process and a random part: at most 30 characters a-z, 0-9 and _.
[[nodiscard]] std::string unique_name(std::string_view prefix);

/// An argument as text; null is empty.
[[nodiscard]] std::string as_text(const Argument& argument);

/// To stderr: something that harms no test, but that a person should know.
void warn(const std::string& message);

}  // namespace tq::conformance
