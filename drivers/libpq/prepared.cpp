#include "prepared.hpp"

#include <random>

namespace tq::libpq {

PreparedStatements::PreparedStatements() { forget(); }

void PreparedStatements::forget() {
  known_.clear();
  suffix_ = "_" + std::to_string(std::random_device{}());
}

Error PreparedStatements::judge(Error error) {
  // "Cached plan must not change result type" has the state of a missing feature.
  if (error.sqlstate() != "26000" && error.sqlstate() != "0A000") return error;
  forget();
  auto details = error.details();
  details.code = Errc::serialization;
  details.transaction_lost = true;
  return {std::move(details), error.what()};
}

}  // namespace tq::libpq
