#include "contract.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tq {
namespace {

// What stands between backquotes.
std::vector<std::string> quoted(const std::string& line) {
  std::vector<std::string> parts;
  for (auto open = line.find('`'); open != std::string::npos;) {
    const auto close = line.find('`', open + 1);
    if (close == std::string::npos) throw std::runtime_error{"an open backquote: " + line};
    parts.push_back(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return parts;
}

// "queue text, n int64"
std::vector<Field> fields(const std::string& list) {
  std::vector<Field> result;
  std::istringstream items{list};
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream words{item};
    std::string name;
    std::string type;
    if (!(words >> name >> type) || (type != "text" && type != "int64")) {
      throw std::runtime_error{"not a field: " + item};
    }
    result.push_back({name, type == "int64" ? Type::int64 : Type::text});
  }
  return result;
}

std::vector<Field> all_fields(const std::string& line) {
  if (line.ends_with(": none")) return {};
  std::vector<Field> result;
  for (const auto& list : quoted(line)) {
    for (auto& field : fields(list)) result.push_back(std::move(field));
  }
  if (result.empty()) throw std::runtime_error{"no field and not `none`: " + line};
  return result;
}

}  // namespace

std::map<std::string, OperationContract> read_contracts(const std::string& path) {
  std::ifstream readme{path};
  if (!readme) throw std::runtime_error{"cannot read " + path};
  std::map<std::string, OperationContract> contracts;
  std::string name;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("### ")) {
      name = line.substr(4);
      contracts[name] = {};
    } else if (name.empty()) {
      continue;
    } else if (line.starts_with("- parameters:")) {
      contracts[name].parameters = all_fields(line);
    } else if (line.starts_with("- columns: those of")) {
      contracts[name].columns = contracts.at(quoted(line).at(0)).columns;
    } else if (line.starts_with("- columns:")) {
      contracts[name].columns = all_fields(line);
    }
  }
  return contracts;
}

}  // namespace tq
