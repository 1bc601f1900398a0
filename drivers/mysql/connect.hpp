// Opening a connection of the library's own.
#pragma once

#include "handles.hpp"
#include "url.hpp"

namespace tq::mysql_driver {

/// Connects. Throws Errc::connection_lost, or Errc::invalid_argument for a file that cannot be
/// read.
[[nodiscard]] ConnectionHandle connect(const Target& target);

}  // namespace tq::mysql_driver
