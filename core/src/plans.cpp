#include "plans.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "rolled_back.hpp"
#include "run.hpp"

namespace tq {
namespace {

using Group = std::vector<std::reference_wrapper<const Statement>>;

// The statements of each file.
std::vector<Group> statements_of(const Dialect& dialect) {
  const auto& claim = dialect.claim;
  std::vector<Group> groups;
  const auto add = [&](const Operation& operation) {
    if (operation.steps.empty()) return;
    groups.emplace_back(operation.steps.begin(), operation.steps.end());
  };
  add(claim.settle);
  if (claim.probe) groups.push_back({*claim.probe});
  add(claim.pick);
  if (claim.mark) groups.push_back({*claim.mark});
  add(dialect.extend);
  add(dialect.finish);
  add(dialect.expired);
  return groups;
}

// Values for every parameter that those statements take.
std::span<const Named> samples() {
  using namespace std::string_view_literals;
  static const std::vector<Named> values{{"queue", "tq-doctor"sv},  {"worker", "tq-doctor"sv},
                                         {"jobs", "[]"sv},          {"picked", "[]"sv},
                                         {"n", std::int64_t{1}},    {"lease", std::int64_t{1}},
                                         {"wait", std::int64_t{1}}, {"priority", std::int64_t{0}}};
  return values;
}

// An engine may write its plan with line breaks and indents, which no phrase has.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) {
      line += c;
    } else if (!line.ends_with(' ')) {
      line += ' ';
    }
  }
  return line;
}

class Explainer {
 public:
  Explainer(Connection& connection, const Dialect& dialect)
      : connection_(connection), dialect_(dialect), how_(dialect.explain) {}

  Finding examine(const Group& statements) const {
    Finding finding{.subject = "plan of " + statements.front().get().name()};
    try {
      judge(statements, finding);
    } catch (const Error& error) {
      if (error.code() == Errc::connection_lost) throw;
      refused(error, finding);
    }
    return finding;
  }

 private:
  void judge(const Group& statements, Finding& finding) const {
    // One for each file: a statement that fails may take its transaction with it.
    std::optional<RolledBack> transaction;
    if (!how_.settings.empty()) transaction.emplace(connection_, dialect_);
    for (const auto& setting : how_.settings) connection_.execute(setting);
    finding.found = "as intended";
    for (const Statement& statement : statements) {
      const auto explanation = statement.behind(how_.prefix, how_.answer);
      const auto plan = run(connection_, explanation, samples());
      for (std::size_t row = 0; row < plan.size(); ++row) {
        for (const auto& value : plan[row]) object(statement, value, finding);
      }
    }
  }

  void object(const Statement& statement, const Value& value, Finding& finding) const {
    const auto* plan = std::get_if<std::string>(&value);
    if (plan == nullptr || finding.verdict != Verdict::ok) return;
    const auto line = in_one_line(*plan);
    for (const auto& unwanted : how_.unwanted) {
      const bool meant = unwanted.statement.empty() || unwanted.statement == statement.name();
      if (!meant || line.find(unwanted.phrase) == std::string::npos) continue;
      finding.verdict = Verdict::problem;
      finding.found = unwanted.phrase;
      finding.advice = unwanted.advice;
      return;
    }
  }

  // What this role may do, and what to grant, stands with the privileges.
  void refused(const Error& error, Finding& finding) const {
    if (error.code() == Errc::denied || error.code() == Errc::read_only) {
      finding.verdict = Verdict::advice;
      finding.advice = run_as_worker;
      finding.found = "not checked: " + std::string{error.what()};
      return;
    }
    finding.verdict = Verdict::problem;
    finding.found = "none: " + std::string{error.what()};
    finding.advice = "see what else is a problem: this statement cannot do without it";
  }

  Connection& connection_;
  const Dialect& dialect_;
  const Explain& how_;
};

}  // namespace

std::vector<Finding> examine_plans(Connection& connection, const Dialect& dialect) {
  if (dialect.explain.prefix.empty()) {
    return {{.subject = "plans", .found = "not checked: this engine does not explain them"}};
  }
  const Explainer explainer{connection, dialect};
  std::vector<Finding> findings;
  for (const auto& statements : statements_of(dialect)) {
    findings.push_back(explainer.examine(statements));
  }
  return findings;
}

}  // namespace tq
