#include "tq/statement.hpp"

#include <gtest/gtest.h>

#include "tq/dialect.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

const std::vector<Field> two{{"a", Type::int64}, {"b", Type::text}};

std::string message(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

TEST(Statement, WritesParametersAsEachClientWantsThem) {
  const Statement statement{"s", "SELECT :b, :a, :b", two, {}};
  const auto dollar = statement.render(Placeholders::dollar);
  EXPECT_EQ(dollar.text, "SELECT $2, $1, $2");
  EXPECT_EQ(dollar.order, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(statement.render(Placeholders::numbered).text, "SELECT ?2, ?1, ?2");
  const auto question = statement.render(Placeholders::question);
  EXPECT_EQ(question.text, "SELECT ?, ?, ?");
  EXPECT_EQ(question.order, (std::vector<std::size_t>{1, 0, 1}));
  EXPECT_EQ(statement.render(Placeholders::colon).text, "SELECT :p1, :p2, :p3");
}

TEST(Statement, LeavesStringsAndNamesAlone) {
  const Statement statement{"s",
                            R"(SELECT ':a?', 'it''s :b', ":a::b" /* :a */ , :a -- :b ? #)",
                            {{"a", Type::int64}},
                            {}};
  EXPECT_EQ(statement.render(Placeholders::dollar).text,
            R"(SELECT ':a?', 'it''s :b', ":a::b"   , $1)");
}

TEST(Statement, KeepsAHint) {
  const Statement statement{
      "s", "SELECT /*+ INDEX(j tq_job_claim) */ :a /* + */", {{"a", Type::int64}}, {}};
  EXPECT_EQ(statement.render(Placeholders::question).text, "SELECT /*+ INDEX(j tq_job_claim) */ ?");
}

TEST(Statement, RefusesWhatAClientWouldMisread) {
  for (const auto* text : {"SELECT :a::text", "x := :a", "SELECT ?, :a", "SELECT :a # x",
                           "SELECT '\\', :a, \\", "SELECT /* /* */ :a", "SELECT /*+ :x */ :a",
                           "SELECT : a, :a", "SELECT 'open, :a", "SELECT /* open, :a"}) {
    EXPECT_NE(message([&] {
                Statement("claim", text, {{"a", Type::int64}}, {});
              }).find("statement claim"),
              std::string::npos)
        << text;
  }
}

TEST(Statement, RefusesUndeclaredAndUnusedParameters) {
  EXPECT_NE(message([] { Statement("s", "SELECT :c", {}, {}); }).find(":c is not declared"),
            std::string::npos);
  EXPECT_NE(message([] { Statement("s", "SELECT :a", two, {}); }).find(":b does not occur"),
            std::string::npos);
}

TEST(Statement, HasAnIdOfItsOwn) {
  const Statement one{"s", "SELECT 1", {}, {}};
  const Statement other{"s", "SELECT 1", {}, {}};
  const Statement copy = one;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_NE(one.id(), other.id());
  EXPECT_EQ(one.id(), copy.id());
}

TEST(Statement, BehindAPrefixIsAnotherOneWithTheSameParameters) {
  const Statement statement{"s", "SELECT :a, :b", two, {{"n", Type::int64}}};
  const auto explained = statement.behind("EXPLAIN ", {{"plan", Type::text}});
  EXPECT_EQ(explained.render(Placeholders::dollar).text, "EXPLAIN SELECT $1, $2");
  EXPECT_EQ(explained.columns().front().name, "plan");
  EXPECT_EQ(explained.parameters().size(), 2U);
  EXPECT_NE(explained.id(), statement.id());
  EXPECT_EQ(statement.render(Placeholders::dollar).text, "SELECT $1, $2");
}

TEST(Rows, SplitsValuesIntoRows) {
  Rows rows{2};
  EXPECT_TRUE(rows.empty());
  rows.push(std::int64_t{1});
  rows.push(std::string{"x"});
  rows.push(std::int64_t{2});
  rows.push(std::monostate{});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(integer(rows[1][0]), 2);
  EXPECT_EQ(text(rows[0][1]), "x");
  EXPECT_TRUE(null(rows[1][1]));
  EXPECT_THROW((void)integer(rows[0][1]), Error);
  EXPECT_THROW((void)text(rows[1][1]), Error);
}

std::vector<SqlFile> folder() {
  return {{"one.sql",
           "-- Promise: x\n-- parameters: jobs text, n int64\n-- columns: id text\n"
           "SELECT :jobs FROM {schema}t -- why: {schema}\n-- step\nUPDATE {schema}t SET x = :n "
           "WHERE y = :picked\n"},
          {"none.sql", "-- Promise: nothing; this engine needs none.\n"},
          {"migrations/0001_tables.sql",
           "-- Promise: x\nCREATE TABLE {schema}t (x int);\n-- step\nCREATE INDEX i ON {schema}t "
           "(x)\n"}};
}

TEST(SqlFolder, ReadsStepsWithTheParametersThatTheyUse) {
  const SqlFolder sql{folder(), {.schema = "jobs"}};
  const auto one = sql.operation("one");
  ASSERT_EQ(one.steps.size(), 2U);
  EXPECT_EQ(one.steps[0].render(Placeholders::dollar).text, "SELECT $1 FROM jobs.t");
  EXPECT_EQ(one.steps[0].columns().front(), (Field{"id", Type::text}));
  ASSERT_EQ(one.steps[1].parameters().size(), 2U);
  EXPECT_EQ(one.steps[1].parameters()[0], (Field{"n", Type::int64}));
  EXPECT_EQ(one.steps[1].parameters()[1], (Field{"picked", Type::text}));
  EXPECT_TRUE(sql.operation("none").steps.empty());
  EXPECT_FALSE(sql.optional("none"));
}

TEST(SqlFolder, ReadsWhatAStepIsFor) {
  const SqlFolder sql{{{"some.sql",
                        "-- when: waiting\nSELECT 1\n-- step\nSELECT 2\n"
                        "-- step\n-- when: grouped\nSELECT 3\n-- step\n-- when: failed\nSELECT 4"},
                       {"bad.sql", "-- when: never\nSELECT 1"}},
                      {}};
  std::vector<When> when;
  for (const auto& step : sql.operation("some").steps) when.push_back(step.when());
  EXPECT_EQ(when, (std::vector{When::waiting, When::always, When::grouped, When::failed}));
  EXPECT_THROW((void)sql.operation("bad"), Error);
}

TEST(SqlFolder, ReadsMigrationsInOrder) {
  const auto migrations = SqlFolder{folder(), {}}.migrations();
  ASSERT_EQ(migrations.size(), 1U);
  EXPECT_EQ(migrations[0].version, 1);
  EXPECT_EQ(migrations[0].name, "tables");
  EXPECT_EQ(migrations[0].texts[1], "CREATE INDEX i ON t (x)");
}

TEST(SqlFolder, NamesTheFileThatIsWrong) {
  EXPECT_NE(message([] {
              (void)SqlFolder{folder(), {}}.operation("two");
            }).find("two.sql"),
            std::string::npos);
  EXPECT_NE(message([] {
              (void)SqlFolder{folder(), {}}.statement("one");
            }).find("one"),
            std::string::npos);
  EXPECT_NE(message([] {
              (void)SqlFolder{{{"migrations/0002_x.sql", "SELECT 1"}}, {}}.migrations();
            }).find("without a gap"),
            std::string::npos);
}

TEST(SqlFolder, AcceptsOnlyPlainSchemaNames) {
  for (const auto* name : {"Jobs", "1jobs", "a.b", "a\"b", "a b", "a;drop table x",
                           "a2345678901234567890123456789012"}) {
    EXPECT_THROW(SqlFolder(folder(), {.schema = name}), Error) << name;
  }
  EXPECT_NO_THROW(SqlFolder(folder(), {.schema = "jobs_2"}));
}

}  // namespace
}  // namespace tq
