#include "clauses.hpp"

#include <regex>
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
  static const std::regex leading{"^([A-Z]{3})_([0-9]+)_"};
  std::vector<std::string> clauses;
  std::string rest{test_name};
  for (std::smatch match; std::regex_search(rest, match, leading);) {
    clauses.push_back(match[1].str() + "-" + match[2].str());
    rest = match.suffix();
  }
  return clauses;
}

}  // namespace tq::conformance
