#include "clauses.hpp"

#include <algorithm>
#include <sstream>

#include "clauses_text.hpp"

namespace tq::conformance {

std::vector<Clause> all_clauses() {
  std::vector<Clause> clauses;
  std::istringstream lines{std::string{clauses_text}};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words{line};
    Clause clause;
    std::string status;
    words >> clause.id >> status >> std::ws;
    std::getline(words, clause.title);
    clause.promised = status == "promised";
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

std::vector<std::string> clauses_of(std::string_view test_name) {
  constexpr std::size_t letters = 3;
  constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<std::string> clauses;
  for (auto rest = test_name;;) {
    const auto number = rest.substr(std::min(rest.size(), letters + 1));
    const auto digits = std::min(number.find_first_not_of("0123456789"), number.size());
    const bool clause = rest.find_first_not_of(capitals) == letters && rest[letters] == '_' &&
                        digits > 0 && digits < number.size() && number[digits] == '_';
    if (!clause) return clauses;
    clauses.push_back(std::string{rest.substr(0, letters)} + "-" +
                      std::string{number.substr(0, digits)});
    rest = number.substr(digits + 1);
  }
}

}  // namespace tq::conformance
