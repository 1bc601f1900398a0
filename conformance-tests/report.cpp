#include "report.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clauses.hpp"
#include "results.hpp"

namespace tq::conformance {
namespace {

using Json = nlohmann::json;

void write_json(const std::filesystem::path& file, const Instances& instances) {
  Json report = Json::object();
  for (const auto& [name, instance] : instances) {
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

void write_table(std::ostream& out, const Instances& instances) {
  out << "| clause | |";
  for (const auto& [name, instance] : instances) out << ' ' << name << " |";
  out << "\n|---|---|";
  for (std::size_t i = 0; i < instances.size(); ++i) out << "---|";
  for (const auto& clause : all_clauses()) {
    out << "\n| " << clause.id << " | " << clause.title << " |";
    for (const auto& [name, instance] : instances) {
      out << ' ' << status_of(clause, instance) << " |";
    }
  }
  out << "\n\n";
}

void write_markdown(const std::filesystem::path& file, const Instances& instances) {
  std::ofstream out{file};
  out << "# Conformance report\n\nClauses of the queue contract, and the servers that were tested."
         " `weaker`: the pair declares a weaker promise, given below, and that one was tested.\n\n";
  for (const auto& [name, instance] : instances) {
    out << "- `" << name << "`: " << instance.version << "\n";
  }
  out << '\n';
  write_table(out, instances);
  for (const auto& remark : remarks(instances)) out << "- " << remark << '\n';
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

std::vector<std::string> write_report(const std::filesystem::path& folder,
                                      const Instances& instances, const Required& required) {
  std::filesystem::create_directories(folder);
  write_json(folder / "report.json", instances);
  write_markdown(folder / "report.md", instances);
  auto problems = missing(instances, required);
  for (const auto& [name, instance] : instances) {
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
