// The statements that a connection of ours has prepared.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "tq/error.hpp"
#include "tq/statement.hpp"

namespace tq::libpq {

/// Remembers what is prepared on one connection, and under which name.
class PreparedStatements {
 public:
  PreparedStatements();

  [[nodiscard]] std::string name(const Statement& statement) const {
    return "tq_" + std::to_string(statement.id()) + suffix_;
  }
  [[nodiscard]] bool contains(const Statement& statement) const {
    return known_.contains(statement.id());
  }
  void add(const Statement& statement) { known_.insert(statement.id()); }

  /// If `error` says that a prepared statement is gone or does not fit the tables any more,
  /// everything is prepared anew from now on, and the transaction may be repeated.
  [[nodiscard]] Error judge(Error error);

 private:
  // The next names are other ones, since the old ones may or may not be there.
  void forget();

  // Random, so that a pooler that mixes sessions up gives an error and not another's statement.
  std::string suffix_;
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace tq::libpq
