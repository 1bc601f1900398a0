// Every dialect's files against sql/README.md, without a database.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>
#include <set>

#include "contract.hpp"
#include "embedded.hpp"
#include "tq/dialect.hpp"
#include "tq/error.hpp"
#include "tq/mysql.hpp"
#include "tq/oracle.hpp"
#include "tq/postgresql.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlserver.hpp"

namespace tq {
namespace {

struct Folder {
  std::string name;
  std::vector<SqlFile> (*files)();
  Dialect (*dialect)(const DialectOptions&);
};

void PrintTo(const Folder& folder, std::ostream* out) { *out << folder.name; }

// A new dialect is one line here.
const std::array folders{
    Folder{"mysql", embedded::mysql, mysql},
    Folder{"oracle", embedded::oracle, oracle},
    Folder{"postgresql", embedded::postgresql, postgresql},
    Folder{"sqlite", embedded::sqlite, sqlite},
    Folder{"sqlserver", embedded::sqlserver, sqlserver},
};

const std::map<std::string, OperationContract>& contracts() {
  static const auto read = read_contracts(TQ_SQL_FOLDER "/README.md");
  return read;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_strings(const std::string& text) {
  std::string rest;
  bool inside = false;
  for (const char c : text) {
    if (c == '\'') inside = !inside;
    if (!inside) rest += c;
  }
  return rest;
}

// Where `text` names the table without a schema; a qualifier such as tq_job.state is no table.
bool names_bare_table(const std::string& text, const std::string& table) {
  for (auto at = text.find(table); at != std::string::npos; at = text.find(table, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const auto end = at + table.size();
    const char after = end == text.size() ? ' ' : text[end];
    if (!in_word(before) && before != '.' && !in_word(after) && after != '.') return true;
  }
  return false;
}

std::span<const Field> answer_columns(const Operation& operation) {
  for (std::size_t i = operation.steps.size(); i-- > 0;) {
    if (!operation.steps[i].columns().empty()) return operation.steps[i].columns();
  }
  return {};
}

std::string shown(std::span<const Field> fields) {
  std::string list;
  for (const auto& field : fields) {
    list +=
        (list.empty() ? "" : ", ") + field.name + (field.type == Type::int64 ? " int64" : " text");
  }
  return list;
}

std::vector<Field> parameters_of(const Operation& operation) {
  std::vector<Field> all;
  for (const auto& step : operation.steps) {
    for (const auto& field : step.parameters()) {
      if (field.name != "picked") all.push_back(field);
    }
  }
  return all;
}

class SqlFolders : public testing::TestWithParam<Folder> {
 protected:
  SqlFolder folder() const { return {GetParam().files(), {}}; }
};

TEST_P(SqlFolders, HoldExactlyTheOperationsOfTheReadme) {
  std::set<std::string> wanted;
  for (const auto& [name, contract] : contracts()) wanted.insert(name + ".sql");
  std::set<std::string> found;
  for (const auto& file : GetParam().files()) {
    if (!file.path.starts_with("migrations/")) found.emplace(file.path);
  }
  EXPECT_EQ(found, wanted);
  EXPECT_FALSE(folder().migrations().empty());
}

TEST_P(SqlFolders, BeginEachFileWithItsPromiseOrWhyThereIsNone) {
  for (const auto& file : GetParam().files()) {
    const auto name = file.path.substr(0, file.path.size() - std::string_view{".sql"}.size());
    const bool empty =
        !file.path.starts_with("migrations/") && folder().operation(name).steps.empty();
    EXPECT_TRUE(file.text.starts_with(empty ? "-- No statement: " : "-- Promise: ")) << file.path;
  }
}

TEST_P(SqlFolders, AnswerWithTheColumnsOfTheReadme) {
  for (const auto& [name, contract] : contracts()) {
    const auto operation = folder().operation(name);
    if (operation.steps.empty()) continue;
    auto columns = answer_columns(operation);
    if (columns.size() > contract.columns.size()) {
      columns = columns.first(contract.columns.size());
    }
    EXPECT_EQ(shown(columns), shown(contract.columns)) << name;
  }
}

TEST_P(SqlFolders, AnswerWithEachStepOfDoctor) {
  const auto steps = folder().operation("doctor").steps;
  EXPECT_FALSE(steps.empty());
  const auto takes_picked = [](const Statement& step) {
    return std::ranges::count(step.parameters(), "picked", &Field::name) > 0;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ASSERT_FALSE(steps[i].columns().empty());
    const bool shows = i + 1 < steps.size() && takes_picked(steps[i + 1]);
    EXPECT_EQ(shows, steps[i].columns().front().name != "subject");
    if (shows) continue;
    EXPECT_EQ(shown(steps[i].columns()), shown(contracts().at("doctor").columns));
  }
}

TEST_P(SqlFolders, TakeNoParameterThatTheReadmeDoesNotName) {
  for (const auto& [name, contract] : contracts()) {
    for (const auto& field : parameters_of(folder().operation(name))) {
      EXPECT_EQ(std::ranges::count(contract.parameters, field), 1) << name << ": " << field.name;
    }
  }
}

TEST_P(SqlFolders, TakePickedOnlyBehindAStepThatGivesRows) {
  for (const auto& [name, contract] : contracts()) {
    // The core gives claim_mark what claim_pick gave.
    bool rows = name == "claim_mark";
    for (const auto& step : folder().operation(name).steps) {
      const bool takes = std::ranges::count(step.parameters(), "picked", &Field::name) > 0;
      EXPECT_TRUE(rows || !takes) << name;
      rows = rows || !step.columns().empty();
    }
  }
}

// A block of PL/SQL does end with one.
TEST_P(SqlFolders, EndNoStatementWithASemicolon) {
  for (const auto& [name, contract] : contracts()) {
    for (const auto& step : folder().operation(name).steps) {
      const auto text = step.render(Placeholders::colon).text;
      const bool block = text.starts_with("DECLARE\n") || text.starts_with("BEGIN\n");
      EXPECT_EQ(text.ends_with(';'), block) << name;
      EXPECT_EQ(text.ends_with("END;"), block) << name;
    }
  }
}

TEST_P(SqlFolders, PutEveryTableIntoTheNamedSchema) {
  const SqlFolder named{GetParam().files(), {.schema = "jobs"}};
  for (const auto& [name, contract] : contracts()) {
    for (const auto& step : named.operation(name).steps) {
      const auto text = without_strings(step.render(Placeholders::colon).text);
      for (const auto* table : {"tq_job", "tq_queue", "tq_failure", "tq_schema"}) {
        EXPECT_FALSE(names_bare_table(text, table)) << name << " names " << table;
      }
    }
  }
}

TEST_P(SqlFolders, MakeTheDialectOfTheirName) {
  const auto dialect = GetParam().dialect({});
  EXPECT_EQ(dialect.name, GetParam().name);
  // A dialect either says how a transaction begins or leaves it to the client library.
  EXPECT_EQ(dialect.transaction.begin.empty(), dialect.name == "oracle");
  EXPECT_NO_THROW((void)GetParam().dialect({.schema = "jobs_2"}));
}

TEST_P(SqlFolders, RefuseASchemaNameThatIsNotPlain) {
  for (const auto* schema :
       {"Jobs", "a b", "1a", "a;b", "a.b", "\"a\"", "abcdefghijklmnopqrstuvwxyz_01234"}) {
    try {
      (void)GetParam().dialect({.schema = schema});
      FAIL() << schema << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument) << schema;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, SqlFolders, testing::ValuesIn(folders),
                         [](const auto& folder) { return folder.param.name; });

// An operation that no engine of today needs has nobody to take its parameters yet.
TEST(SqlReadme, NamesNoParameterThatNoEngineTakes) {
  for (const auto& [name, contract] : contracts()) {
    bool needed = false;
    std::vector<Field> taken;
    for (const auto& folder : folders) {
      const auto operation = SqlFolder{folder.files(), {}}.operation(name);
      needed = needed || !operation.steps.empty();
      std::ranges::copy(parameters_of(operation), std::back_inserter(taken));
    }
    for (const auto& field : contract.parameters) {
      EXPECT_TRUE(!needed || std::ranges::count(taken, field) > 0) << name << ": " << field.name;
    }
  }
}

}  // namespace
}  // namespace tq
