// The suite's own promise: every clause has a test.
#include <gtest/gtest.h>

#include <set>

#include "backends/pair.hpp"
#include "clauses.hpp"
#include "servers.hpp"

namespace tq::conformance {
namespace {

std::set<std::string> tested_clauses() {
  std::set<std::string> tested;
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    if (std::string{suite.name()} == "Scale") continue;  // They do not run by default.
    for (int t = 0; t < suite.total_test_count(); ++t) {
      for (auto& clause : clauses_of(suite.GetTestInfo(t)->name())) tested.insert(clause);
    }
  }
  return tested;
}

TEST(SuiteItself, EveryPromisedClauseHasATest) {
  const auto tested = tested_clauses();
  for (const auto& clause : all_clauses()) {
    EXPECT_EQ(tested.contains(clause.id), clause.promised) << clause.id << ": " << clause.title;
  }
}

TEST(SuiteItself, EveryTestOfAServerNamesAClauseThatExists) {
  std::set<std::string> known;
  for (const auto& clause : all_clauses()) known.insert(clause.id);
  for (const auto& clause : tested_clauses()) EXPECT_TRUE(known.contains(clause)) << clause;
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      const bool of_a_server = test.value_param() != nullptr;
      EXPECT_EQ(clauses_of(test.name()).empty(), !of_a_server) << test.name();
    }
  }
}

TEST(SuiteItself, ABatchEndsAtALineThatSaysGoAndNowhereElse) {
  EXPECT_EQ(batches_of(":ON ERROR EXIT\nSELECT 1;\nGO\n\nGO\nSELECT 'GO';\nSELECT GO\n"),
            (std::vector<std::string>{"SELECT 1;\n", "SELECT 'GO';\nSELECT GO\n"}));
  EXPECT_EQ(batches_of("SELECT 1"), std::vector<std::string>{"SELECT 1\n"});
}

TEST(SuiteItself, ClausesAreReadFromTheBeginningOfATestsName) {
  EXPECT_EQ(clauses_of("LSE_3_FIN_2_EndedLease"), (std::vector<std::string>{"LSE-3", "FIN-2"}));
  EXPECT_TRUE(clauses_of("NoClause_CLM_1").empty());
}

}  // namespace
}  // namespace tq::conformance
