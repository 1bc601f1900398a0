#include <soci/version.h>

#include "tq/soci.hpp"

namespace tq {

std::string SociConnection::client_version() {
  return "SOCI " + std::to_string(SOCI_VERSION / 100'000) + "." +
         std::to_string(SOCI_VERSION / 100 % 1'000) + "." + std::to_string(SOCI_VERSION % 100);
}

}  // namespace tq
