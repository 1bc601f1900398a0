// The report for a person at a terminal.
#include <algorithm>
#include <iomanip>
#include <map>
#include <string>

#include "report.hpp"

namespace tq::conformance {
namespace {

constexpr int column = 9;  // the longest status, and two blanks

// With more than one server its number stands above its column.
void print_servers(std::ostream& out, const Instances& instances) {
  std::size_t width = 0;
  for (const auto& [name, instance] : instances) width = std::max(width, name.size());
  int number = 0;
  for (const auto& [name, instance] : instances) {
    ++number;
    if (instances.size() > 1) out << number << "  ";
    out << std::left << std::setw(static_cast<int>(width) + 2) << name << instance.version << '\n';
  }
  out << '\n' << std::setw(column) << "clause";
  for (int n = 1; n <= number; ++n) {
    out << std::setw(column) << (number > 1 ? std::to_string(n) : "");
  }
  out << '\n';
}

void print_counts(std::ostream& out, const std::map<std::string, int>& counts) {
  const char* separator = "";
  for (const auto& [status, count] : counts) {
    out << separator << count << ' ' << status;
    separator = ", ";
  }
  out << '\n';
}

bool untested(const Clause& clause, const Instances& instances) {
  return std::ranges::none_of(
      instances, [&](const auto& item) { return item.second.cells.contains(clause.id); });
}

}  // namespace

void print_table(std::ostream& out, const Instances& instances) {
  print_servers(out, instances);
  std::map<std::string, int> counts;
  for (const auto& clause : all_clauses()) {
    if (clause.promised && untested(clause, instances)) continue;
    out << std::left << std::setw(column) << clause.id;
    for (const auto& [name, instance] : instances) {
      const auto status = status_of(clause, instance);
      ++counts[status];
      out << std::setw(column) << status;
    }
    out << clause.title << '\n';
  }
  out << '\n';
  for (const auto& remark : remarks(instances)) out << remark << '\n';
  print_counts(out, counts);
}

}  // namespace tq::conformance
