// A transaction that leaves nothing behind.
#pragma once

#include "tq/connection.hpp"
#include "tq/dialect.hpp"

namespace tq {

/// Begins; rolls back when it goes. `connection` must outlive it and have none open.
class RolledBack {
 public:
  RolledBack(Connection& connection, const Dialect& dialect) : connection_(connection) {
    connection.begin(dialect.transaction);
  }
  RolledBack(const RolledBack&) = delete;
  RolledBack& operator=(const RolledBack&) = delete;
  ~RolledBack() { connection_.rollback(); }

 private:
  Connection& connection_;
};

}  // namespace tq
