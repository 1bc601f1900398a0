#include "tq/connection.hpp"

namespace tq {

std::vector<Rows> Connection::transact(const Transaction& transaction,
                                       std::span<const Call> calls) {
  std::vector<Rows> answers;
  answers.reserve(calls.size());
  begin(transaction);
  try {
    for (const auto& call : calls) answers.push_back(run(call.statement, call.arguments));
    commit();
  } catch (...) {
    rollback();
    throw;
  }
  return answers;
}

}  // namespace tq
