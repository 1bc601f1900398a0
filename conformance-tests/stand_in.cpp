#include "stand_in.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "stand_ins_text.hpp"

namespace tq::conformance {
namespace {

constexpr std::array<std::string_view, 5> verdicts{"right", "partly", "no-evidence", "failed",
                                                   "not-runnable"};
constexpr const char* not_run = "not run here";

// As a person reads it.
std::string spoken(std::string verdict) {
  if (verdict == "partly") return "right in part";
  std::ranges::replace(verdict, '-', ' ');
  return verdict;
}

// What stands behind `head` in `line`; nullopt where it begins otherwise.
std::optional<std::string> after(const std::string& head, const std::string& line) {
  return line.starts_with(head) ? std::optional{line.substr(head.size())} : std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, const std::vector<Clause>& clauses)
      : lines_{std::string{text}}, clauses_{clauses} {}

  StandIn read() {
    while (std::getline(lines_, line_)) {
      ++number_;
      if (line_.starts_with('#')) {
        read_head();
      } else if (!line_.empty()) {
        read_clause();
      }
    }
    line_.clear();
    for (const auto* text : {&found_.name, &found_.date, &found_.driver}) {
      if (text->empty()) refuse("a head line is missing: # stand-in:, # date: and # driver:");
    }
    for (const auto& clause : clauses_) {
      const bool told = found_.clauses.contains(clause.id);
      if (clause.promised && !told) refuse("nothing is said of " + clause.id);
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument{"line " + std::to_string(number_) + ": " + why + ": " + line_};
  }

  void read_head() {
    if (const auto name = after("# stand-in: ", line_)) take(found_.name, *name);
    if (const auto date = after("# date: ", line_)) take(found_.date, *date);
    if (const auto driver = after("# driver: ", line_)) take(found_.driver, *driver);
  }

  void take(std::string& field, const std::string& text) const {
    if (!field.empty()) refuse("said twice");
    field = text;
  }

  void read_clause() {
    std::istringstream fields{line_};
    std::string id;
    Shown shown;
    std::getline(fields, id, '\t');
    std::getline(fields, shown.verdict, '\t');
    std::getline(fields, shown.reason);
    if (std::ranges::count(clauses_, id, &Clause::id) == 0) refuse("no such clause");
    if (std::ranges::count(verdicts, shown.verdict) == 0) refuse("no such verdict");
    if (shown.reason.empty() && shown.verdict != "right") refuse("a reason is missing");
    if (!found_.clauses.emplace(id, std::move(shown)).second) refuse("said twice");
  }

  std::istringstream lines_;
  const std::vector<Clause>& clauses_;
  std::string line_;
  int number_ = 0;
  StandIn found_;
};

}  // namespace

StandIn parse_stand_in(std::string_view text, const std::vector<Clause>& clauses) {
  return Reader{text, clauses}.read();
}

std::vector<Absent> absent_from(const Instances& instances) {
  std::vector<Absent> all;
  for (const auto& [engine, text] : stand_in_texts) {
    const auto end = "_" + std::string{engine};
    const bool there = std::ranges::any_of(
        instances, [&](const auto& item) { return item.second.pair.ends_with(end); });
    if (there) continue;
    auto& absent = all.emplace_back(Absent{.engine = std::string{engine}});
    if (!text.empty()) absent.stand_in = parse_stand_in(text, all_clauses());
  }
  return all;
}

std::string words_for(const Absent& absent, const Clause& clause) {
  if (!absent.stand_in) return not_run;
  const auto shown = absent.stand_in->clauses.find(clause.id);
  if (shown == absent.stand_in->clauses.end()) return not_run;
  return std::string{not_run} + "; " + absent.stand_in->name + ": " + spoken(shown->second.verdict);
}

std::string summary_of(const Absent& absent) {
  if (!absent.stand_in) return std::string{not_run} + "; no stand-in either";
  const auto& [name, date, driver, clauses] = *absent.stand_in;
  auto text = std::string{not_run} + "; " + name + " (" + date + ", by " + driver + ")";
  const char* separator = ": ";
  for (const auto verdict : verdicts) {
    const auto count = std::ranges::count_if(
        clauses, [&](const auto& item) { return item.second.verdict == verdict; });
    if (count == 0) continue;
    text += separator + std::to_string(count) + " " + spoken(std::string{verdict});
    separator = ", ";
  }
  return text;
}

}  // namespace tq::conformance
