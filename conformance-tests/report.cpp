#include "report.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clauses.hpp"
#include "results.hpp"

namespace tq::conformance {
namespace {

using Json = nlohmann::json;

constexpr const char* not_run_here = "not run here";

// Of an engine without a server; no status in it is one of an instance.
Json json_of(const Absent& absent) {
  Json out{{"pair", nullptr}, {"status", not_run_here}, {"clauses", Json::object()}};
  const auto& stand_in = absent.stand_in;
  if (stand_in) {
    out["stand_in"] = {
        {"name", stand_in->name}, {"date", stand_in->date}, {"driver", stand_in->driver}};
  }
  for (const auto& clause : all_clauses()) {
    Json cell{{"title", clause.title}, {"status", not_run_here}};
    if (stand_in && stand_in->clauses.contains(clause.id)) {
      const auto& [verdict, reason] = stand_in->clauses.at(clause.id);
      cell["stand_in"] = {{"verdict", verdict}, {"reason", reason}};
    }
    out["clauses"][clause.id] = std::move(cell);
  }
  return out;
}

void write_json(const std::filesystem::path& file, const Report& all) {
  Json report = Json::object();
  for (const auto& absent : all.absent) report[absent.engine] = json_of(absent);
  for (const auto& [name, instance] : all.instances) {
    auto& out = report[name];
    out = {{"pair", instance.pair}, {"version", instance.version}, {"clauses", Json::object()}};
    for (const auto& clause : all_clauses()) {
      Json cell{{"title", clause.title}, {"status", status_of(clause, instance)}};
      if (const auto found = instance.cells.find(clause.id); found != instance.cells.end()) {
        cell["passed_tests"] = found->second.passed;
        cell["failed"] = found->second.failed;
        cell["skipped"] = found->second.skipped;
        if (!found->second.weaker.empty()) cell["weaker"] = found->second.weaker;
      }
      out["clauses"][clause.id] = std::move(cell);
    }
  }
  std::ofstream{file} << report.dump(1) << '\n';
}

void write_table(std::ostream& out, const Report& report) {
  out << "| clause | |";
  for (const auto& [name, instance] : report.instances) out << ' ' << name << " |";
  for (const auto& absent : report.absent) out << ' ' << absent.engine << " |";
  out << "\n|---|---|";
  for (std::size_t i = 0; i < report.instances.size() + report.absent.size(); ++i) out << "---|";
  for (const auto& clause : all_clauses()) {
    out << "\n| " << clause.id << " | " << clause.title << " |";
    for (const auto& [name, instance] : report.instances) {
      out << ' ' << status_of(clause, instance) << " |";
    }
    for (const auto& absent : report.absent) out << ' ' << words_for(absent, clause) << " |";
  }
  out << "\n\n";
}

// What a stand-in showed, where more is to be said of it than the verdict.
void write_reasons(std::ostream& out, const Absent& absent) {
  if (!absent.stand_in) return;
  for (const auto& clause : all_clauses()) {
    const auto shown = absent.stand_in->clauses.find(clause.id);
    if (shown == absent.stand_in->clauses.end() || shown->second.reason.empty()) continue;
    out << "- " << clause.id << ", `" << absent.engine << "`, " << words_for(absent, clause) << ": "
        << shown->second.reason << '\n';
  }
}

void write_markdown(const std::filesystem::path& file, const Report& report) {
  std::ofstream out{file};
  out << "# Conformance report\n\nClauses of the queue contract, and the servers that were tested."
         " `weaker`: the pair declares a weaker promise, given below, and that one was tested.";
  if (!report.absent.empty()) {
    out << " `not run here`: no server of that engine was named. What a stand-in showed is no"
           " result of the engine.";
  }
  out << "\n\n";
  for (const auto& [name, instance] : report.instances) {
    out << "- `" << name << "`: " << instance.version << "\n";
  }
  for (const auto& absent : report.absent) {
    out << "- `" << absent.engine << "`: " << summary_of(absent) << "\n";
  }
  out << '\n';
  write_table(out, report);
  for (const auto& remark : remarks(report.instances)) out << "- " << remark << '\n';
  for (const auto& absent : report.absent) write_reasons(out, absent);
}

// "engine 15" is there if "engine 15.4" ran, but not by "engine 150".
bool ran(const Instances& instances, const std::string& version) {
  return std::ranges::any_of(instances, [&](const auto& item) {
    const auto& found = item.second.version;
    if (!found.starts_with(version) || item.second.cells.empty()) return false;
    return found.size() == version.size() ||
           std::isdigit(static_cast<unsigned char>(found[version.size()])) == 0;
  });
}

std::vector<std::string> missing(const Instances& instances, const Required& required) {
  std::vector<std::string> problems;
  for (const auto& pair : required.pairs) {
    const bool there =
        std::ranges::any_of(instances, [&](const auto& item) { return item.second.pair == pair; });
    if (!there) problems.push_back("the required pair " + pair + " did not run");
  }
  for (const auto& version : required.versions) {
    if (!ran(instances, version)) {
      problems.push_back("the required version " + version + " did not run");
    }
  }
  return problems;
}

}  // namespace

std::vector<std::string> write_report(const std::filesystem::path& folder, const Report& report,
                                      const Required& required) {
  std::filesystem::create_directories(folder);
  write_json(folder / "report.json", report);
  write_markdown(folder / "report.md", report);
  auto problems = missing(report.instances, required);
  for (const auto& [name, instance] : report.instances) {
    const bool strict = std::ranges::count(required.pairs, instance.pair) > 0;
    for (const auto& clause : all_clauses()) {
      const auto status = status_of(clause, instance);
      const bool lacking = strict && (status == "skipped" || status == "no test");
      if (status == "fail" || lacking) {
        problems.push_back(clause.id + " on " + name + ": " + status);
      }
    }
  }
  return problems;
}

}  // namespace tq::conformance
