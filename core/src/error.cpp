#include "tq/error.hpp"

namespace tq {

std::string_view name(Errc code) noexcept {
  switch (code) {
    case Errc::connection_lost:
      return "connection_lost";
    case Errc::timeout:
      return "timeout";
    case Errc::deadlock:
      return "deadlock";
    case Errc::serialization:
      return "serialization";
    case Errc::busy:
      return "busy";
    case Errc::duplicate:
      return "duplicate";
    case Errc::constraint:
      return "constraint";
    case Errc::unsupported:
      return "unsupported";
    case Errc::schema_missing:
      return "schema_missing";
    case Errc::schema_newer:
      return "schema_newer";
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::denied:
      return "denied";
    case Errc::read_only:
      return "read_only";
    case Errc::cancelled:
      return "cancelled";
    case Errc::failed:
      return "failed";
  }
  return "unknown";
}

bool Error::retryable() const noexcept {
  return code() == Errc::deadlock || code() == Errc::serialization || code() == Errc::busy;
}

}  // namespace tq
