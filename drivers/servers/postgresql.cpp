#include "servers/postgresql.hpp"

#include <algorithm>
#include <array>

namespace tq::servers {
namespace {

enum class Detail : bool { hidden, shown };

// The first rule whose prefix fits counts.
struct Rule {
  std::string_view prefix;
  Errc code;
  Detail detail;  // the detail of a refused row holds that row, payload included
  std::string_view advice;
};

constexpr std::string_view pooler =
    "; behind a pooler in transaction mode, add tq_prepare=off to the connection string";

// https://www.postgresql.org/docs/current/errcodes-appendix.html
constexpr std::array rules{
    Rule{"08", Errc::connection_lost, Detail::shown, ""},
    Rule{"22", Errc::constraint, Detail::hidden, ""},
    Rule{"23505", Errc::duplicate, Detail::hidden, ""},
    Rule{"23", Errc::constraint, Detail::hidden, ""},
    Rule{"25P02", Errc::failed, Detail::hidden,
         "; an earlier statement failed, so roll the transaction back first"},
    Rule{"25P03", Errc::connection_lost, Detail::shown, ""},
    Rule{"25P04", Errc::connection_lost, Detail::shown, ""},
    Rule{"25006", Errc::read_only, Detail::hidden,
         "; connect to the primary server (target_session_attrs=read-write)"},
    Rule{"26000", Errc::serialization, Detail::hidden, pooler},
    Rule{"3F000", Errc::schema_missing, Detail::hidden, "; run `tq init`"},
    Rule{"40P01", Errc::deadlock, Detail::shown, ""},
    Rule{"40", Errc::serialization, Detail::shown, ""},
    Rule{"42P01", Errc::schema_missing, Detail::hidden, "; run `tq init`"},
    Rule{"42501", Errc::denied, Detail::hidden, ""},
    Rule{"42703", Errc::schema_missing, Detail::hidden,
         "; the tables are of another version, run `tq init`"},
    // What CREATE ... IF NOT EXISTS may say when another session has made it at the same moment.
    Rule{"42P06", Errc::duplicate, Detail::hidden, ""},
    Rule{"42P07", Errc::duplicate, Detail::hidden, ""},
    Rule{"42710", Errc::duplicate, Detail::hidden, ""},
    Rule{"42P05", Errc::failed, Detail::hidden, pooler},
    Rule{"53300", Errc::connection_lost, Detail::shown, ""},
    Rule{"53", Errc::failed, Detail::shown, ""},
    Rule{"55P03", Errc::busy, Detail::hidden, ""},
    Rule{"57014", Errc::cancelled, Detail::hidden, ""},
    Rule{"57P", Errc::connection_lost, Detail::shown, ""},
};

constexpr Rule anything_else{"", Errc::failed, Detail::hidden, ""};

const Rule& rule_for(std::string_view sqlstate) {
  const auto* const found = std::ranges::find_if(
      rules, [sqlstate](const Rule& rule) { return sqlstate.starts_with(rule.prefix); });
  return found == rules.end() ? anything_else : *found;
}

// A time-out has the SQLSTATE of a cancelled statement; only the text tells them apart, and only in
// English. https://www.postgresql.org/docs/current/runtime-config-client.html
bool timed_out(const Report& report) {
  return report.sqlstate == "57014" && report.message.find("timeout") != std::string_view::npos;
}

bool loses_transaction(Errc code, std::string_view sqlstate) {
  return code == Errc::deadlock || code == Errc::serialization || code == Errc::connection_lost ||
         sqlstate == "25P02";
}

std::string compose(const Report& report, const Rule& rule, std::string_view statement) {
  std::string text;
  if (!statement.empty()) text.append(statement).append(": ");
  text.append(report.message).append(rule.advice);
  if (rule.detail == Detail::shown && !report.detail.empty()) {
    text.append(" (").append(report.detail).append(")");
  }
  if (!report.hint.empty()) text.append(" Hint: ").append(report.hint);
  return text;
}

}  // namespace

Error postgresql_error(const Report& report, std::string_view statement) {
  const auto& rule = rule_for(report.sqlstate);
  const auto code = timed_out(report) ? Errc::timeout : rule.code;
  return {ErrorDetails{.code = code,
                       .transaction_lost = loses_transaction(code, report.sqlstate),
                       .sqlstate = std::string{report.sqlstate},
                       .statement = std::string{statement}},
          compose(report, rule, statement)};
}

}  // namespace tq::servers
