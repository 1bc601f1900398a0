// UNQ-1: at most one active job for each (queue, unique_key).
#include <atomic>
#include <set>
#include <thread>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Unique : public PairTest {
 protected:
  [[nodiscard]] static NewJob keyed(const std::string& key = "key") {
    auto keyed = job();
    keyed.unique_key = key;
    return keyed;
  }
  // A second producer asks while the first has not decided yet; then the first ends.
  [[nodiscard]] Enqueued second_while_first_is_open(const std::string& first_ends,
                                                    Enqueued& first) const {
    const auto borrowed = app().borrow();
    app().execute(texts().begin);
    first = queue().enqueue(*borrowed, keyed());
    const auto connection = place().open();
    Enqueued second;
    std::jthread producer{[&] { second = queue().enqueue(*connection, keyed()); }};
    std::this_thread::sleep_for(150ms);
    app().execute(first_ends);
    producer.join();
    return second;
  }
};
INSTANTIATE_TEST_SUITE_P(, Unique, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Unique, UNQ_1_DuplicateStoresNothingAndNamesTheHolder) {
  const auto holder = queue().enqueue(db(), keyed());
  auto different = keyed();
  different.payload = "[2]";
  const auto refused = queue().enqueue(db(), different);
  EXPECT_TRUE(holder.inserted);
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(refused.job_id, holder.job_id);
  EXPECT_EQ(count("tq_job"), 1);
  EXPECT_EQ(row(holder.job_id).payload, "{}");
}

TEST_P(Unique, UNQ_1_RunningJobHoldsItsKeyAndAFinalOneDoesNot) {
  const auto first = add(keyed());
  const auto held = claim_one();
  EXPECT_FALSE(queue().enqueue(db(), keyed()).inserted);
  ASSERT_EQ(queue().fail(db(), held.lease(), {.error = "e"}), Finish::done);
  EXPECT_FALSE(queue().enqueue(db(), keyed()).inserted);
  move_back(first, "run_at", 1h);
  ASSERT_EQ(queue().complete(db(), claim_one().lease()), Finish::done);
  const auto second = queue().enqueue(db(), keyed());
  EXPECT_TRUE(second.inserted);
  EXPECT_NE(second.job_id, first);
}

TEST_P(Unique, UNQ_1_KeyIsPerQueue) {
  auto elsewhere = keyed();
  elsewhere.queue = "other";
  EXPECT_TRUE(queue().enqueue(db(), keyed()).inserted);
  EXPECT_TRUE(queue().enqueue(db(), elsewhere).inserted);
  EXPECT_TRUE(queue().enqueue(db(), keyed("other key")).inserted);
}

TEST_P(Unique, UNQ_1_TheDatabaseItselfRefusesASecondActiveJob) {
  add(keyed());
  EXPECT_THROW(app().execute("INSERT INTO " + place().table("tq_job") +
                             " (queue, kind, payload, unique_key) VALUES ('q', 'k', '{}', 'key')"),
               RawError);
}

TEST_P(Unique, UNQ_1_OfRacingProducersExactlyOneIsInserted) {
  constexpr std::size_t producers = 8;
  constexpr std::size_t rounds = 15;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto key = "race " + std::to_string(round);
    std::vector<Enqueued> answers(producers);
    std::vector<std::unique_ptr<Connection>> connections;
    for (std::size_t p = 0; p < producers; ++p) connections.push_back(place().open());
    at_once(producers,
            [&](std::size_t p) { answers[p] = queue().enqueue(*connections[p], keyed(key)); });
    EXPECT_EQ(std::ranges::count(answers, true, &Enqueued::inserted), 1);
    for (const auto& answer : answers) EXPECT_EQ(answer.job_id, answers[0].job_id);
  }
  EXPECT_EQ(count("tq_job"), static_cast<std::int64_t>(rounds));
}

TEST_P(Unique, UNQ_1_WaitingProducerIsRefusedOnceTheFirstCommits) {
  Enqueued first;
  const auto second = second_while_first_is_open(texts().commit, first);
  EXPECT_TRUE(first.inserted);
  EXPECT_FALSE(second.inserted);
  EXPECT_EQ(second.job_id, first.job_id);
}

TEST_P(Unique, UNQ_1_WaitingProducerInsertsOnceTheFirstRollsBack) {
  Enqueued first;
  const auto second = second_while_first_is_open(texts().rollback, first);
  EXPECT_TRUE(first.inserted);
  EXPECT_TRUE(second.inserted);
  EXPECT_NE(second.job_id, first.job_id);
  EXPECT_EQ(count("tq_job"), 1);
}

TEST_P(Unique, UNQ_1_FLT_1_BulkCallsWithTheSameKeysInOppositeOrderBothSucceed) {
  constexpr std::size_t keys = 200;
  std::vector<NewJob> forwards;
  for (std::size_t i = 0; i < keys; ++i) forwards.push_back(keyed("key " + std::to_string(i)));
  std::vector<NewJob> backwards(forwards.rbegin(), forwards.rend());
  std::atomic<int> inserted = 0;
  at_once(6, [&](std::size_t producer) {
    const auto connection = place().open();
    const auto& jobs = producer % 2 == 0 ? forwards : backwards;
    for (const auto& answer : queue().enqueue(*connection, jobs))
      inserted += answer.inserted ? 1 : 0;
  });
  EXPECT_EQ(inserted, static_cast<int>(keys));
  EXPECT_EQ(count("tq_job"), static_cast<std::int64_t>(keys));
}

TEST_P(Unique, UNQ_1_ClaimAndFinishGoOnBesideProducersOfTheSameKey) {
  std::atomic<int> inserted = 0;
  std::atomic<int> completed = 0;
  std::atomic<bool> producing = true;
  at_once(4, [&](std::size_t role) {
    const auto connection = place().open();
    if (role == 0) {
      for (int i = 0; i < 100; ++i)
        inserted += queue().enqueue(*connection, keyed()).inserted ? 1 : 0;
      producing = false;
      return;
    }
    bool more = true;
    while (more) {
      more = producing;
      for (const auto& job : queue().claim(*connection, {.queue = "q", .worker = "w"})) {
        completed += queue().complete(*connection, job.lease()) == Finish::done ? 1 : 0;
        more = true;
      }
    }
  });
  EXPECT_EQ(inserted, completed);
  EXPECT_GT(inserted, 0);
}

}  // namespace
}  // namespace tq::conformance
