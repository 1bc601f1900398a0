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
  groups.push_back({claim.pick});
  add(claim.mark);
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
        for (const auto& value : plan[row]) object(value, finding);
      }
    }
  }

  void object(const Value& value, Finding& finding) const {
    const auto* line = std::get_if<std::string>(&value);
    if (line == nullptr || finding.verdict != Verdict::ok) return;
    for (const auto& unwanted : how_.unwanted) {
      const auto at = line->find(unwanted.phrase);
      if (at == std::string::npos) continue;
      finding.verdict = Verdict::problem;
      finding.found = line->substr(at, std::min(line->find('\n', at), line->size()) - at);
      finding.advice = unwanted.advice;
      return;
    }
  }

  // What this role may do, and what to grant, stands with the privileges.
  void refused(const Error& error, Finding& finding) const {
    if (denied(error, dialect_)) {
      finding.found = "not checked: " + std::string{error.what()};
      return;
    }
    finding.verdict = Verdict::problem;
    finding.found = "none: " + std::string{error.what()};
    finding.advice =
        "the script of `tq init --print` makes what is missing, and leaves the rest as it is";
  }

  Connection& connection_;
  const Dialect& dialect_;
  const Explain& how_;
};

}  // namespace

bool denied(const Error& error, const Dialect& dialect) {
  return !error.sqlstate().empty() && error.sqlstate() == dialect.explain.denied;
}

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
