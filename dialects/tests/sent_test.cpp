// What a driver sends to the servers that no test of ours can reach, against a kept copy: for each
// statement its text with ? for each parameter, and what is bound to them, in order.
//
// A change that is meant: TQ_KEEP_SENT=1 tq_dialects_tests --gtest_filter='*Sent*' writes the
// copies anew; read their diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include "embedded.hpp"
#include "tq/dialect.hpp"
#include "tq/oracle.hpp"
#include "tq/schema.hpp"
#include "tq/sqlserver.hpp"

namespace tq {
namespace {

struct Kept {
  std::string name;
  std::vector<SqlFile> (*files)();
  Dialect (*dialect)(const DialectOptions&);
};

void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.name; }

std::string bound(const Statement& statement, const Rendered& rendered) {
  std::string list;
  for (const auto index : rendered.order) {
    const auto& field = statement.parameters()[index];
    list += (list.empty() ? "" : ", ") + field.name;
    list += field.type == Type::int64 ? " int64" : " text";
  }
  return list.empty() ? "nothing" : list;
}

std::string sent(const Operation& operation) {
  std::string text;
  for (const auto& step : operation.steps) {
    const auto rendered = step.render(Placeholders::question);
    text += "-- bound: " + bound(step, rendered) + "\n" + rendered.text + "\n";
  }
  return text;
}

// By the name of the kept file.
std::map<std::string, std::string> all_sent(const Kept& kept) {
  std::map<std::string, std::string> texts;
  const SqlFolder folder{kept.files(), {}};
  for (const auto& file : kept.files()) {
    if (file.path.starts_with("migrations/")) continue;
    const std::string name{file.path.substr(0, file.path.rfind('.'))};
    auto text = sent(folder.operation(name));
    if (!text.empty()) texts[name + ".sql"] = std::move(text);
  }
  texts["init.sql"] = schema_sql(kept.dialect({.schema = "jobs"}));
  return texts;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

class Sent : public testing::TestWithParam<Kept> {
 protected:
  std::filesystem::path folder() const {
    return std::filesystem::path{TQ_SENT_FOLDER} / GetParam().name;
  }
};

TEST_P(Sent, IsWhatWasKept) {
  const bool keep = std::getenv("TQ_KEEP_SENT") != nullptr;
  if (keep) std::filesystem::create_directories(folder());
  for (const auto& [name, text] : all_sent(GetParam())) {
    if (keep) std::ofstream{folder() / name, std::ios::binary} << text;
    EXPECT_EQ(text, read(folder() / name)) << folder() / name;
  }
}

TEST_P(Sent, KeepsNoCopyOfWhatIsGone) {
  std::set<std::string> kept;
  for (const auto& file : std::filesystem::directory_iterator{folder()}) {
    kept.insert(file.path().filename().string());
  }
  std::set<std::string> wanted;
  for (const auto& [name, text] : all_sent(GetParam())) wanted.insert(name);
  EXPECT_EQ(kept, wanted);
}

// In a text an ODBC driver may take a brace for the beginning of an escape sequence.
TEST(SentToOracle, HasNoBrace) {
  for (const auto& [name, text] : all_sent({"oracle", embedded::oracle, oracle})) {
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Sent,
                         testing::Values(Kept{"oracle", embedded::oracle, oracle},
                                         Kept{"sqlserver", embedded::sqlserver, sqlserver}),
                         [](const auto& kept) { return kept.param.name; });

}  // namespace
}  // namespace tq
