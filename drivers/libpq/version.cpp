#include <libpq-fe.h>

#include "tq/libpq.hpp"

namespace tq {

std::string LibpqConnection::client_version() {
  // 150008 is 15.8: https://www.postgresql.org/docs/current/libpq-misc.html#LIBPQ-PQLIBVERSION
  const int version = PQlibVersion();
  return "libpq " + std::to_string(version / 10'000) + "." + std::to_string(version % 10'000);
}

}  // namespace tq
