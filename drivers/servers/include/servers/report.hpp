// What a server says of a failed command, whichever client library passes it on.
#pragma once

#include <string_view>

namespace tq::servers {

/// Views into what the client library gave. A client library without one of them leaves it empty.
struct Report {
  int number = 0;  ///< the engine's or its client library's own, 0 where it has none
  std::string_view sqlstate = {};  ///< five characters; empty: the client library itself reports it
  std::string_view message = {};
  std::string_view detail = {};
  std::string_view hint = {};
};

}  // namespace tq::servers
