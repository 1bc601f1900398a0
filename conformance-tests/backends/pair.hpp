// What the files of backends/ share.
#pragma once

#include <string>

#include "backend.hpp"

namespace tq::conformance {

/// An argument as text; null is empty.
[[nodiscard]] std::string as_text(const Argument& argument);

/// `url` with TQ_DATABASE_PASSWORD put in, where it has no password.
[[nodiscard]] std::string with_environments_password(const std::string& url);

}  // namespace tq::conformance
