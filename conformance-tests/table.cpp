// The report for a person at a terminal.
#include <algorithm>
#include <iomanip>
#include <map>
#include <string>

#include "report.hpp"

namespace tq::conformance {
namespace {

constexpr int column = 9;  // the longest status, and two blanks

// A server, or an engine without one.
struct Row {
  std::string name;
  std::string text;
};

std::vector<Row> rows_of(const Report& report) {
  std::vector<Row> rows;
  for (const auto& [name, instance] : report.instances) rows.push_back({name, instance.version});
  for (const auto& absent : report.absent) rows.push_back({absent.engine, summary_of(absent)});
  return rows;
}

// Without the stand-in's name, which stands above.
std::string cell_of(const Absent& absent, const Clause& clause) {
  const auto words = words_for(absent, clause);
  const auto name = words.find("; ");
  return name == std::string::npos ? words : "not run; " + words.substr(words.rfind(": ") + 2);
}

int width_of(const Absent& absent) {
  std::size_t width = column;
  for (const auto& clause : all_clauses()) {
    width = std::max(width, cell_of(absent, clause).size() + 2);
  }
  return static_cast<int>(width);
}

// With more than one of them its number stands above its column.
void print_servers(std::ostream& out, const Report& report) {
  const auto rows = rows_of(report);
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  const bool numbered = rows.size() > 1;
  int number = 0;
  for (const auto& row : rows) {
    if (numbered) out << ++number << "  ";
    out << std::left << std::setw(static_cast<int>(width) + 2) << row.name << row.text << '\n';
  }
  out << '\n' << std::setw(column) << "clause";
  number = 0;
  const auto print_number = [&](int column_width) {
    out << std::setw(column_width) << (numbered ? std::to_string(++number) : "");
  };
  for (std::size_t i = 0; i < report.instances.size(); ++i) print_number(column);
  for (const auto& absent : report.absent) print_number(width_of(absent));
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

void print_table(std::ostream& out, const Report& report) {
  print_servers(out, report);
  std::map<std::string, int> counts;
  for (const auto& clause : all_clauses()) {
    if (clause.promised && untested(clause, report.instances)) continue;
    out << std::left << std::setw(column) << clause.id;
    for (const auto& [name, instance] : report.instances) {
      const auto status = status_of(clause, instance);
      ++counts[status];
      out << std::setw(column) << status;
    }
    for (const auto& absent : report.absent) {
      out << std::setw(width_of(absent)) << cell_of(absent, clause);
    }
    out << clause.title << '\n';
  }
  out << '\n';
  for (const auto& remark : remarks(report.instances)) out << remark << '\n';
  print_counts(out, counts);
  const char* separator = "not run here: ";
  for (const auto& absent : report.absent) {
    out << separator << absent.engine;
    separator = ", ";
  }
  if (!report.absent.empty()) out << '\n';
}

}  // namespace tq::conformance
