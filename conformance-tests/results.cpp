#include "results.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tq::conformance {
namespace {

using Json = nlohmann::json;

void take_test(Instances& instances, const Json& test) {
  auto& cells = instances[test.at("instance")].cells;
  const std::string name =
      test.at("suite").get<std::string>() + "." + test.at("test").get<std::string>();
  for (const std::string clause : test.at("clauses")) {
    auto& cell = cells[clause];
    if (test.at("outcome") == "failed") cell.failed.push_back(name);
    if (test.at("outcome") == "skipped") cell.skipped.push_back(name);
    if (test.at("outcome") == "passed") ++cell.passed;
  }
  for (const auto& [clause, promise] : test.at("weaker").items()) {
    cells[clause].weaker.insert(promise.get<std::string>());
  }
}

}  // namespace

std::string Cell::status() const {
  if (!failed.empty()) return "fail";
  if (!skipped.empty()) return "skipped";
  if (passed == 0) return "no test";
  return weaker.empty() ? "pass" : "weaker";
}

Instances read_parts(const std::filesystem::path& folder) {
  Instances instances;
  if (!std::filesystem::exists(folder)) return instances;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{entry.path()};
    const auto part = Json::parse(in);
    for (const auto& found : part.at("instances")) {
      auto& instance = instances[found.at("instance")];
      instance.pair = found.at("pair");
      instance.version = found.at("version");
    }
    for (const auto& test : part.at("tests")) take_test(instances, test);
  }
  return instances;
}

std::string status_of(const Clause& clause, const Instance& instance) {
  const auto cell = instance.cells.find(clause.id);
  if (cell != instance.cells.end()) return cell->second.status();
  return clause.promised ? "no test" : "planned";
}

std::vector<std::string> remarks(const Instances& instances) {
  std::vector<std::string> lines;
  for (const auto& [name, instance] : instances) {
    for (const auto& [clause, cell] : instance.cells) {
      const auto add = [&, &instance_name = name, &id = clause](const std::string& what,
                                                                const auto& texts) {
        for (const auto& text : texts) {
          lines.push_back(id + ", `" + instance_name + "`, " + what + ": " + text);
        }
      };
      add("weaker", cell.weaker);
      add("failed", cell.failed);
      add("skipped", cell.skipped);
    }
  }
  return lines;
}

}  // namespace tq::conformance
