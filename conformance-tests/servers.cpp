#include "servers.hpp"

#include <cstdlib>
#include <sstream>

namespace tq::conformance {
namespace {

std::string& chosen_pair() {
  static std::string pair;
  return pair;
}

std::vector<Server> find_servers() {
  std::vector<Server> found;
  for (const auto& pair : all_pairs()) {
    if (!chosen_pair().empty() && pair.name != chosen_pair()) continue;
    for (auto& server : pair.servers()) found.push_back(std::move(server));
  }
  return found;
}

}  // namespace

void choose_pair(std::string pair) { chosen_pair() = std::move(pair); }

const std::vector<Server>& servers() {
  static const auto found = find_servers();
  return found;
}

std::vector<std::string> listed(const char* variable) {
  const char* value = std::getenv(variable);
  std::istringstream items{value == nullptr ? "" : value};
  std::vector<std::string> names;
  for (std::string name; std::getline(items, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

void PrintTo(const Server& server, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << server.version;
}

}  // namespace tq::conformance
