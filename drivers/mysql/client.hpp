// The client library itself.
#pragma once

#include <cppconn/driver.h>

namespace tq::mysql_driver {

/// The one driver object of Connector/C++, which it owns. It is made ready for the calling thread,
/// and told when that thread ends. From any thread.
[[nodiscard]] sql::Driver& client();

}  // namespace tq::mysql_driver
