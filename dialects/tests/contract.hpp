// What sql/README.md says about each operation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tq/statement.hpp"

namespace tq {

struct OperationContract {
  std::vector<Field> parameters;
  std::vector<Field> columns;
};

/// By the operation's name. Throws std::runtime_error for a line that it cannot read, so that no
/// operation is silently without a contract.
[[nodiscard]] std::map<std::string, OperationContract> read_contracts(const std::string& path);

}  // namespace tq
