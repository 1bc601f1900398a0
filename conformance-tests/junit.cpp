#include "junit.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tq::conformance {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string why(const Absent& absent, const Clause& clause) {
  auto text = words_for(absent, clause);
  if (!absent.stand_in) return text;
  const auto shown = absent.stand_in->clauses.find(clause.id);
  const bool more = shown != absent.stand_in->clauses.end() && !shown->second.reason.empty();
  return more ? text + ": " + shown->second.reason : text;
}

std::string suite_of(const Absent& absent, const std::vector<Clause>& clauses) {
  const auto count = std::to_string(clauses.size());
  std::ostringstream out;
  out << "  <testsuite name=\"" << absent.engine << "\" tests=\"" << count
      << "\" failures=\"0\" disabled=\"0\" skipped=\"" << count << "\" errors=\"0\" time=\"0\">\n";
  for (const auto& clause : clauses) {
    out << "    <testcase name=\"" << clause.id
        << "\" status=\"notrun\" result=\"skipped\" time=\"0\""
        << " classname=\"" << absent.engine << "\">\n      <skipped message=\""
        << escaped(why(absent, clause)) << "\"/>\n    </testcase>\n";
  }
  out << "  </testsuite>\n";
  return out.str();
}

}  // namespace

void add_skipped(const std::filesystem::path& file, const std::vector<Absent>& absent) {
  std::ostringstream content;
  content << std::ifstream{file}.rdbuf();
  auto text = content.str();
  const auto clauses = all_clauses();
  constexpr std::string_view begin = "<testsuites tests=\"";
  const auto count = text.find(begin);
  const auto end = text.rfind("</testsuites>");
  if (count == std::string::npos || end == std::string::npos) {
    throw std::runtime_error{file.string() + " is not as GoogleTest writes it"};
  }
  for (const auto& engine : absent)
    text.insert(text.rfind("</testsuites>"), suite_of(engine, clauses));
  const auto at = count + begin.size();
  const auto length = text.find('"', at) - at;
  const auto all = std::stoul(text.substr(at, length)) + absent.size() * clauses.size();
  std::ofstream{file} << text.replace(at, length, std::to_string(all));
}

}  // namespace tq::conformance
