#include "client.hpp"

namespace tq::mysql_driver {
namespace {

// The first call makes the object, and no two threads may be in it.
sql::Driver& only_driver() {
  static sql::Driver* const driver = get_driver_instance();
  return *driver;
}

// https://dev.mysql.com/doc/connector-cpp/1.1/en/connector-cpp-apps-general-considerations.html
class ThreadOfClient {
 public:
  ThreadOfClient() { only_driver().threadInit(); }
  ThreadOfClient(const ThreadOfClient&) = delete;
  ThreadOfClient& operator=(const ThreadOfClient&) = delete;
  ~ThreadOfClient() { only_driver().threadEnd(); }
};

}  // namespace

sql::Driver& client() {
  thread_local const ThreadOfClient known;
  return only_driver();
}

}  // namespace tq::mysql_driver
