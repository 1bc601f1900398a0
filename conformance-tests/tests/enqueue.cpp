// ENQ-1 to ENQ-6: producers, on connections of their own and of the application's.
#include "fixture.hpp"
#include "watched.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Enqueue : public PairTest {
 protected:
  static void say_trips() {
    const auto trips = texts().trips_a_batch;
    if (trips == 1) return;
    weaker("ENQ-3",
           std::to_string(trips) + " statements, not one, for each batch of 1,000 rows or 4 MiB");
  }
};
INSTANTIATE_TEST_SUITE_P(, Enqueue, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Enqueue, ENQ_1_JobAppearsWhenTheApplicationCommits) {
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "order 1");
  const auto added = queue().enqueue(*borrowed, job());
  EXPECT_TRUE(added.inserted);
  EXPECT_TRUE(queue().find(db(), added.job_id.text()).empty());
  app().execute(texts().commit);
  EXPECT_EQ(row(added.job_id).state, State::ready);
  EXPECT_EQ(app_rows(), 1);
  EXPECT_EQ(ids(claim(10)), std::vector{added.job_id});
}

TEST_P(Enqueue, ENQ_1_NothingIsLeftAfterTheApplicationRollsBack) {
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "order 1");
  const std::vector<NewJob> jobs(5, job());
  queue().enqueue(*borrowed, jobs);
  app().execute(texts().rollback);
  EXPECT_EQ(count("tq_job"), 0);
  EXPECT_EQ(app_rows(), 0);
  EXPECT_TRUE(claim(10).empty());
}

TEST_P(Enqueue, ENQ_1_UncommittedJobIsNotClaimed) {
  const auto borrowed = app().borrow();
  const auto before = add();
  app().execute(texts().begin);
  if (!facts().concurrent_writers) {
    // The claim would wait for this writer; what it may see is the same.
    const auto hidden = queue().enqueue(*borrowed, job()).job_id;
    EXPECT_TRUE(queue().find(db(), hidden.text()).empty());
    app().execute(texts().rollback);
    EXPECT_EQ(ids(claim(10)), std::vector{before});
    return;
  }
  queue().enqueue(*borrowed, job());
  EXPECT_EQ(ids(claim(10)), std::vector{before});
  app().execute(texts().rollback);
}

TEST_P(Enqueue, ENQ_3_TenThousandJobsComeBackInInputOrderInFewRoundTrips) {
  constexpr std::size_t n = 10'000;
  std::vector<NewJob> jobs(n, job());
  for (std::size_t i = 0; i < n; ++i) jobs[i].payload = std::to_string(i);
  Watched counted{db()};
  const auto answers = queue().enqueue(counted, jobs);
  say_trips();
  EXPECT_LE(counted.round_trips, 2 + 10 * texts().trips_a_batch);
  ASSERT_EQ(answers.size(), n);
  for (std::size_t i = 0; i < n; i += 999) {
    EXPECT_EQ(row(answers[i].job_id).payload, std::to_string(i));
  }
  EXPECT_TRUE(std::ranges::is_sorted(answers, {}, &Enqueued::job_id));
  EXPECT_EQ(count("tq_job"), static_cast<std::int64_t>(n));
}

TEST_P(Enqueue, ENQ_3_RoundTripsGrowWithTheBytes) {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  auto big = job();
  big.payload = std::string(megabyte, 'x');
  big.payload.front() = big.payload.back() = '"';
  const std::vector<NewJob> jobs(8, big);
  Watched counted{db()};
  queue().enqueue(counted, jobs);
  // With its other columns each is a little over 1 MiB, so that three share a batch of 4 MiB.
  say_trips();
  EXPECT_LE(counted.round_trips, 2 + 3 * texts().trips_a_batch);
  EXPECT_EQ(count("tq_job"), 8);
}

TEST_P(Enqueue, ENQ_3_BulkCallIsAllOrNothing) {
  std::vector<NewJob> jobs(2500, job());
  Watched failing{db()};
  int calls = 0;
  failing.before_run = [&](const Statement& /*statement*/, std::span<const Argument> /*args*/) {
    if (++calls == 3) throw Error{Errc::constraint, "refused in the middle"};
  };
  EXPECT_EQ(error_of([&] { queue().enqueue(failing, jobs); }).code(), Errc::constraint);
  EXPECT_EQ(count("tq_job"), 0);
}

TEST_P(Enqueue, ENQ_3_UNQ_1_RefusedDuplicatesDoNotUndoTheOthers) {
  auto keyed = job();
  keyed.unique_key = "held";
  const auto holder = add(keyed);
  std::vector<NewJob> jobs(6, job());
  jobs[1].unique_key = "held";
  jobs[2].unique_key = "fresh";
  jobs[4].unique_key = "fresh";
  const auto answers = queue().enqueue(db(), jobs);
  std::vector<bool> inserted;
  for (const auto& answer : answers) inserted.push_back(answer.inserted);
  EXPECT_EQ(inserted, (std::vector{true, false, true, true, false, true}));
  EXPECT_EQ(answers[1].job_id, holder);
  EXPECT_EQ(answers[4].job_id, answers[2].job_id);
  EXPECT_EQ(count("tq_job"), 5);
}

TEST_P(Enqueue, ENQ_3_JobsOfOneCallShareTheirCreationTime) {
  const auto added = add(2100);
  EXPECT_EQ(row(added.front()).created_at, row(added.back()).created_at);
}

TEST_P(Enqueue, ENQ_3_UNQ_1_GivenIdIsStoredOnce) {
  auto given = job();
  given.job_id = JobId::generate();
  const auto first = queue().enqueue(db(), given);
  const auto second = queue().enqueue(db(), given);
  EXPECT_TRUE(first.inserted);
  EXPECT_EQ(first.job_id, *given.job_id);
  EXPECT_FALSE(second.inserted);
  EXPECT_EQ(second.job_id, *given.job_id);
  EXPECT_EQ(count("tq_job"), 1);
}

TEST_P(Enqueue, ENQ_4_CLM_5_DelayedJobWaitsForItsTime) {
  auto delayed = job();
  delayed.delay = 10min;
  const auto before = queue().now(db());
  const auto id = add(delayed);
  const auto after = queue().now(db());
  EXPECT_GE(row(id).run_at, before + 10min);
  EXPECT_LE(row(id).run_at, after + 10min);
  EXPECT_TRUE(claim(1).empty());
  move_back(id, "run_at", 10min + 1s);
  EXPECT_EQ(claim_one().job_id, id);
}

TEST_P(Enqueue, ENQ_4_RunAtIsKeptAndRespected) {
  auto timed = job();
  timed.run_at = queue().now(db()) + 1h + 123'457us;
  const auto id = add(timed);
  EXPECT_EQ(row(id).run_at, *timed.run_at);
  EXPECT_TRUE(claim(1).empty());
  move_back(id, "run_at", 1h + 2s);
  EXPECT_EQ(claim_one().job_id, id);
}

TEST_P(Enqueue, ENQ_4_WithoutATimeAJobIsDueAtOnce) {
  const auto id = add();
  EXPECT_EQ(row(id).run_at, row(id).created_at);
  EXPECT_EQ(claim_one().job_id, id);
}

TEST_P(Enqueue, ENQ_5_PlainInsertMakesAValidJob) {
  app().execute("INSERT INTO " + place().table("tq_job") +
                " (queue, kind, payload) VALUES ('q', 'k', '{\"a\": 1}')");
  app().execute("INSERT INTO " + place().table("tq_job") +
                " (queue, kind, payload) VALUES ('q', 'k', '2')");
  const auto now = queue().now(db());
  const auto jobs = claim(10);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_NE(jobs[0].job_id, jobs[1].job_id);
  EXPECT_FALSE(jobs[0].job_id.nil());
  EXPECT_EQ(jobs[0].priority, 0);
  EXPECT_EQ(jobs[0].max_attempts, 3);
  EXPECT_LE(jobs[0].created_at, now);
  EXPECT_GE(jobs[0].created_at, now - 10s);
  EXPECT_EQ(queue().complete(db(), jobs[0].lease()), Finish::done);
  EXPECT_EQ(queue().fail(db(), jobs[1].lease(), {.error = "no"}), Finish::done);
  EXPECT_EQ(row(jobs[0].job_id).state, State::succeeded);
  EXPECT_EQ(row(jobs[1].job_id).state, State::ready);
}

struct BadRow {
  std::string what;
  std::string columns;
  std::string values;
};

TEST_P(Enqueue, ENQ_6_TheDatabaseRefusesAnInvalidRow) {
  const std::vector<BadRow> rows{
      {"unknown state", "queue, kind, payload, state", "'q', 'k', '{}', 'flying'"},
      {"running without owner", "queue, kind, payload, state, attempts",
       "'q', 'k', '{}', 'running', 1"},
      {"running without lease", "queue, kind, payload, state, attempts, worker_id",
       "'q', 'k', '{}', 'running', 1, 'w'"},
      {"owner though ready", "queue, kind, payload, worker_id", "'q', 'k', '{}', 'w'"},
      {"final without time", "queue, kind, payload, state", "'q', 'k', '{}', 'succeeded'"},
      {"negative attempts", "queue, kind, payload, attempts", "'q', 'k', '{}', -1"},
      {"no attempts allowed", "queue, kind, payload, max_attempts", "'q', 'k', '{}', 0"},
      {"ready and exhausted", "queue, kind, payload, attempts, max_attempts",
       "'q', 'k', '{}', 3, 3"},
      {"invalid JSON", "queue, kind, payload", "'q', 'k', '{'"},
      {"empty payload", "queue, kind, payload", "'q', 'k', ''"},
      {"no payload", "queue, kind, payload", "'q', 'k', NULL"},
      {"empty queue", "queue, kind, payload", "'', 'k', '{}'"},
      {"empty kind", "queue, kind, payload", "'q', '', '{}'"},
      {"no queue", "queue, kind, payload", "NULL, 'k', '{}'"},
      {"priority too high", "queue, kind, payload, priority", "'q', 'k', '{}', 11"},
      {"priority too low", "queue, kind, payload, priority", "'q', 'k', '{}', -11"},
  };
  for (const auto& bad : rows) {
    EXPECT_THROW(app().execute("INSERT INTO " + place().table("tq_job") + " (" + bad.columns +
                               ") VALUES (" + bad.values + ")"),
                 RawError)
        << bad.what;
  }
  EXPECT_EQ(count("tq_job"), 0);
}

TEST_P(Enqueue, ENQ_6_TheDatabaseRefusesAnInvalidChange) {
  const auto id = add();
  for (const std::string bad :
       {"state = 'running'", "lease_until = run_at", "worker_id = 'w'", "state = 'dead'",
        "finished_at = run_at", "attempts = 3", "attempts = -1", "payload = '[1,'", "queue = ''"}) {
    EXPECT_THROW(update(id, bad), RawError) << bad;
  }
  EXPECT_EQ(claim_one().job_id, id);
  EXPECT_THROW(update(id, "lease_until = NULL"), RawError);
  EXPECT_THROW(update(id, "worker_id = NULL"), RawError);
  EXPECT_THROW(update(id, "finished_at = run_at"), RawError);
  const auto final = add();
  ASSERT_EQ(queue().cancel(db(), std::vector{final}).at(0), Cancelled::cancelled);
  EXPECT_THROW(update(final, "finished_at = NULL"), RawError);
  EXPECT_THROW(update(final, "max_attempts = 0"), RawError);
  EXPECT_THROW(update(final, "max_attempts = -1"), RawError);
}

}  // namespace
}  // namespace tq::conformance
