// Opening a connection of the library's own.
#pragma once

#include <string>

#include "handles.hpp"

namespace tq::libpq {

enum class Prepare : bool { off, on };

/// A connection string and what of it is meant for us.
struct Target {
  std::string text;  ///< for libpq
  Prepare prepare = Prepare::on;
};

/// Takes our parameters out of a URL or key=value string. Throws Errc::invalid_argument, without
/// a part of the string, which may hold a password.
[[nodiscard]] Target parse_target(const std::string& url);

/// Connects. Throws Errc::connection_lost, or Errc::invalid_argument for a malformed string.
[[nodiscard]] ConnectionHandle connect(const Target& target);

}  // namespace tq::libpq
