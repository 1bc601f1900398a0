#include "session_backend.hpp"

#include <algorithm>

namespace tq::soci_driver {
namespace {

std::string about(std::string_view statement, const std::string& message) {
  return statement.empty() ? message : std::string{statement} + ": " + message;
}

}  // namespace

const BackendEntry& backend_called(std::string_view name) {
  const auto all = backends();
  const auto found = std::ranges::find(all, name, &BackendEntry::name);
  if (found != all.end()) return *found;
  std::string names;
  for (const auto& entry : all) names.append(names.empty() ? "" : ", ").append(entry.name);
  throw Error{Errc::unsupported,
              "SOCI's backend " + std::string{name} +
                  " is not one that this library was built with; there are: " + names};
}

Error lost(std::string_view statement) {
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .statement = std::string{statement}},
          about(statement, "the connection to the server is closed")};
}

Error plain_error(const soci::soci_error& error, std::string_view statement) {
  const bool dead = error.get_error_category() == soci::soci_error::connection_error;
  return {ErrorDetails{.code = dead ? Errc::connection_lost : Errc::failed,
                       .transaction_lost = dead,
                       .statement = std::string{statement}},
          about(statement, error.get_error_message())};
}

void refuse_answer(const Statement& statement) {
  throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
}

}  // namespace tq::soci_driver
