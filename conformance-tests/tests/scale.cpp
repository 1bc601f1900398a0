// What needs millions of rows or many processes; minutes long, run on demand.
#include <algorithm>
#include <iostream>

#include "child.hpp"
#include "drain_history.hpp"
#include "examiner.hpp"
#include "fixture.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Scale : public PairTest {
 protected:
  void SetUp() override {
    PairTest::SetUp();
    fresh_ = make_place(server());
    install_schema(*fresh_->open(), fresh_->dialect());
  }
  [[nodiscard]] const Place& fresh() const { return *fresh_; }

 private:
  OwnPlace fresh_;
};
INSTANTIATE_TEST_SUITE_P(, Scale, ::testing::ValuesIn(servers()), instance_name);

// A queue from which 10 jobs are claimed again and again, timed without the commit.
class TimedClaims {
 public:
  TimedClaims(const Server& server, const Place& place, std::size_t rounds)
      : texts_(server.texts), filled_(server, place), borrowed_(filled_.raw().borrow()) {
    filled_.load(10 * rounds, "0");
  }
  [[nodiscard]] const Examiner& filled() const { return filled_; }

  void claim() {
    filled_.raw().execute(texts_.begin);
    const auto start = std::chrono::steady_clock::now();
    const auto claimed =
        filled_.queue().claim(*borrowed_, {.queue = "q", .worker = "w", .limit = 10});
    const auto end = std::chrono::steady_clock::now();
    filled_.raw().execute(texts_.commit);
    EXPECT_EQ(claimed.size(), 10U);
    times_.push_back(std::chrono::duration_cast<Duration>(end - start));
  }
  [[nodiscard]] Duration median() {
    std::ranges::sort(times_);
    return times_[times_.size() / 2];
  }

 private:
  const Texts& texts_;
  Examiner filled_;
  std::unique_ptr<Connection> borrowed_;
  std::vector<Duration> times_;
};

TEST_P(Scale, CLM_8_ClaimBesideTwoMillionJobsCostsAtMostHalfAsMuchAgain) {
  constexpr std::size_t rounds = 201;
  const auto other = make_place(server());
  install_schema(*other->open(), other->dialect());
  TimedClaims alone{server(), *other, rounds};
  TimedClaims beside{server(), fresh(), rounds};
  beside.filled().load_future(1'000'000, "10");
  beside.filled().load_finished(1'000'000);
  // By turns: what else the machine does, such as cleaning up after the load, slows both.
  for (std::size_t i = 0; i < rounds; ++i) {
    alone.claim();
    beside.claim();
  }
  const auto before = alone.median();
  const auto after = beside.median();
  const double ratio = static_cast<double>(after.count()) / static_cast<double>(before.count());
  std::cout << server().instance << ": claim of 10, median " << before.count() << " us alone, "
            << after.count() << " us beside 2,000,000 jobs, ratio " << ratio << '\n';
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_LE(ratio, 1.5);
}

TEST_P(Scale, CLM_1_GRP_1_GRP_2_ManyProcessesDrainAHundredThousandJobs) {
  constexpr std::size_t all = 100'000;
  constexpr std::size_t batch = 10'000;
  const int processes = facts().concurrent_writers ? 16 : 4;
  const Queue queue{fresh().dialect()};
  const auto connection = fresh().open();
  const auto raw = fresh().raw();
  make_drain_tables(*raw, fresh(), texts());
  std::map<std::string, std::vector<std::string>> groups;
  for (std::size_t done = 0; done < all; done += batch) {
    std::vector<NewJob> jobs(batch, job());
    for (std::size_t i = 0; i < batch; i += 10) jobs[i].group_key = "g" + std::to_string(i % 200);
    const auto answers = queue.enqueue(*connection, jobs);
    for (std::size_t i = 0; i < batch; i += 10) {
      groups[*jobs[i].group_key].push_back(answers[i].job_id.text());
    }
  }
  std::vector<Child> workers;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < processes; ++i)
    workers.push_back(start_child(server(), fresh(), "drain", {"q"}));
  for (auto& worker : workers) EXPECT_EQ(worker.wait(), 0);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start);
  std::cout << server().instance << ": " << processes << " processes drained " << all << " jobs in "
            << seconds.count() << " s\n";
  const DrainHistory history{*raw, fresh()};
  history.expect_each_once(all);
  history.expect_groups(groups);
  EXPECT_EQ(queue.stats(*connection, "q").at(0).ready, 0);
}

TEST_P(Scale, CLM_1_FIN_1_AProcessForEachDriverDrainsFiftyThousandJobs) {
  for (const auto& [pair, done] : expect_drained_by_every_driver(server(), fresh(), 50'000)) {
    EXPECT_GT(done, 0) << pair;
  }
}

TEST_P(Scale, CLM_1_FLT_1_ENQ_2_MixedLoadOverFiftyThousandJobs) {
  expect_mixed_load_survived(server(), fresh(),
                             {.jobs = 50'000, .produced = 3'000, .collisions = 1'000});
}

}  // namespace
}  // namespace tq::conformance
