// CLM-8, GRP-3, OPS-1 and OPS-5: what a statement costs does not grow with what it should not look
// at. Measured as rows and steps that the engine went through, right after a bulk load, before the
// engine had a chance to update its statistics.
#include "clauses.hpp"
#include "examiner.hpp"
#include "fixture.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Cost : public PairTest {
 protected:
  void SetUp() override {
    PairTest::SetUp();
    fresh_ = make_place(server());
    install_schema(*fresh_->open(), fresh_->dialect());
    examiner_.emplace(server(), *fresh_);
    if (const auto& untold = server().limits.steps; !untold.empty()) {
      const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
      for (const auto& clause : clauses_of(test->name())) weaker(clause, untold);
    }
  }
  [[nodiscard]] Examiner& examined() { return *examiner_; }

  // A little more is always needed: a level of an index, a step to look whether there is more.
  static void expect_no_more(const Examination& before, const Examination& after) {
    constexpr std::int64_t slack = 150;
    EXPECT_EQ(after.work == 0, !server().limits.steps.empty());
    EXPECT_LE(after.work, before.work * 3 / 2 + slack) << after.plans;
    EXPECT_TRUE(after.objections.empty()) << after.objections << '\n' << after.plans;
  }

 private:
  OwnPlace fresh_;
  std::optional<Examiner> examiner_;
};
INSTANTIATE_TEST_SUITE_P(, Cost, ::testing::ValuesIn(servers()), instance_name);

constexpr std::size_t many = 20'000;

TEST_P(Cost, CLM_8_ClaimDoesNotGrowWithTheBacklog) {
  examined().load(1000, "0");
  const auto before = examined().claim(10);
  EXPECT_EQ(before.rows, 10U);
  examined().load(many, "0");
  expect_no_more(before, examined().claim(10));
}

TEST_P(Cost, CLM_8_ClaimDoesNotGrowWithFinishedJobs) {
  examined().load(1000, "0");
  const auto before = examined().claim(10);
  examined().load_finished(many);
  expect_no_more(before, examined().claim(10));
}

TEST_P(Cost, CLM_8_ClaimDoesNotGrowWithFutureJobsOfHigherPriority) {
  examined().load(1000, "0");
  const auto before = examined().claim(10);
  examined().load_future(many, "5");
  examined().load_future(many, "0");
  expect_no_more(before, examined().claim(10));
}

TEST_P(Cost, CLM_8_ClaimOfAnEmptyQueueDoesNotLookAtOthers) {
  const auto before = examined().claim(10);
  examined().load(many, "0", "other");
  examined().load_finished(1000);
  expect_no_more(before, examined().claim(10));
}

TEST_P(Cost, GRP_3_CLM_8_BlockedGroupsCostAClaimNothing) {
  examined().load(1000, "0");
  const auto before = examined().claim(10);
  examined().load_blocked_group(3000, 100);
  examined().settle();
  expect_no_more(before, examined().claim(10));
}

TEST_P(Cost, REP_1_ReapingDoesNotGrowWithTheBacklog) {
  const auto before = examined().reap();
  examined().load(many, "0");
  examined().load_finished(many);
  expect_no_more(before, examined().reap());
}

TEST_P(Cost, OPS_1_LookingForOldJobsDoesNotGrowWithYoungOnes) {
  examined().load_finished(10);
  const auto before = examined().purge(24h * 7);
  EXPECT_EQ(before.rows, 0U);
  examined().load(1000, "0");
  examined().load_finished(many);
  expect_no_more(before, examined().purge(24h * 7));
}

TEST_P(Cost, OPS_5_StatisticsStopCountingFinalJobsAtTheCap) {
  examined().load(1000, "0");
  examined().load_finished(2 * QueueStats::final_count_cap);
  const auto before = examined().stats();
  examined().load_finished(4 * QueueStats::final_count_cap);
  const auto after = examined().stats();
  EXPECT_LE(after.work, before.work * 3 / 2 + 150) << after.plans;
}

TEST_P(Cost, OPS_5_CountingWhatFinishedLatelyDoesNotLookAtOlderJobs) {
  examined().load_finished(10);
  const auto before = examined().finished(Duration{1});
  examined().load_finished(many);
  expect_no_more(before, examined().finished(Duration{1}));
}

}  // namespace
}  // namespace tq::conformance
