// The declared facts of a pair, each value tested: true means that it works, false means that the
// weaker behaviour is as documented.
#include <algorithm>
#include <thread>

#include "fixture.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Facts : public PairTest {};
INSTANTIATE_TEST_SUITE_P(, Facts, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Facts, CLM_2_CLM_7_WritersRunSideBySideAsDeclared) {
  const auto first = place().raw();
  const auto second = place().raw();
  first->execute(texts().begin);
  insert_row(*first, "one");
  second->execute(texts().begin);
  if (!texts().short_lock_wait.empty()) second->execute(texts().short_lock_wait);
  if (facts().concurrent_writers) {
    insert_row(*second, "two");
    second->execute(texts().commit);
    EXPECT_EQ(app_rows(), 1);
  } else {
    EXPECT_THROW(insert_row(*second, "two"), RawError);
    second->execute(texts().rollback);
  }
  first->execute(texts().commit);
}

TEST_P(Facts, DAT_3_TheClockStepsAsDeclared) {
  const auto step = facts().clock_resolution;
  std::vector<Timestamp> seen;
  const auto stop = std::chrono::steady_clock::now() + 50 * step;
  while (seen.size() < 200 || std::chrono::steady_clock::now() < stop) {
    seen.push_back(queue().now(db()));
    EXPECT_EQ(seen.back().time_since_epoch() % step, Duration{0});
  }
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  // The clock moves on, and at least one step was no coarser than a hundred declared ones.
  Duration finest = Duration::max();
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i] > seen[i - 1]) finest = std::min(finest, seen[i] - seen[i - 1]);
  }
  EXPECT_LE(finest, std::max<Duration>(100 * step, 5ms));
}

TEST_P(Facts, OPS_6_TwoSchemasOnOneConnectionDoNotSeeEachOther) {
  const auto fresh = make_place(server());
  const auto connection = fresh->open();
  const auto dialect = fresh->beside(*connection);
  ASSERT_EQ(dialect.has_value(), facts().named_schema);
  if (!dialect) return;
  const Queue first{fresh->dialect()};
  const Queue other{*dialect};
  install_schema(*connection, first.dialect());
  EXPECT_EQ(error_of([&] { check_schema(*connection, *dialect); }).code(), Errc::schema_missing);
  install_schema(*connection, *dialect);
  const auto here = first.enqueue(*connection, job()).job_id;
  EXPECT_TRUE(other.claim(*connection, {.queue = "q", .worker = "w"}).empty());
  const auto there = other.enqueue(*connection, job()).job_id;
  const auto claimed = other.claim(*connection, {.queue = "q", .worker = "w", .limit = 5});
  EXPECT_EQ(ids(claimed), std::vector{there});
  EXPECT_EQ(other.complete(*connection, claimed.at(0).lease()), Finish::done);
  EXPECT_EQ(ids(first.claim(*connection, {.queue = "q", .worker = "w", .limit = 5})),
            std::vector{here});
}

TEST_P(Facts, ENQ_2_FailedStatementLeavesTheTransactionAsDeclared) {
  const auto borrowed = app().borrow();
  app().execute(texts().begin);
  insert_row(app(), "before");
  EXPECT_THROW(app().execute("INSERT INTO " + place().table("tq_job") +
                             " (queue, kind, payload) VALUES ('', 'k', '{}')"),
               RawError);
  if (facts().error_fails_transaction) {
    EXPECT_EQ(borrowed->transaction_state(), TransactionState::failed);
    EXPECT_THROW(insert_row(app(), "after"), RawError);
    const auto error = error_of([&] { queue().enqueue(*borrowed, std::vector{job(), job()}); });
    EXPECT_TRUE(error.transaction_lost()) << error.what();
    app().execute(texts().rollback);
    EXPECT_EQ(app_rows(), 0);
  } else {
    EXPECT_NE(borrowed->transaction_state(), TransactionState::failed);
    EXPECT_TRUE(queue().enqueue(*borrowed, job()).inserted);
    app().execute(texts().commit);
    EXPECT_EQ(app_rows(), 1);
    EXPECT_EQ(count("tq_job"), 1);
  }
}

TEST_P(Facts, ENQ_2_TransactionStateFollowsTheApplication) {
  const auto borrowed = app().borrow();
  EXPECT_TRUE(borrowed->borrowed());
  EXPECT_FALSE(db().borrowed());
  if (borrowed->transaction_state() == TransactionState::unknown) return;
  const bool autocommit = texts().no_autocommit.empty();
  if (!autocommit) weaker("ENQ-2", texts().no_autocommit);
  const auto outside = autocommit ? TransactionState::none : TransactionState::open;
  EXPECT_EQ(borrowed->transaction_state(), outside);
  app().execute(texts().begin);
  EXPECT_EQ(borrowed->transaction_state(), TransactionState::open);
  app().execute(texts().commit);
  EXPECT_EQ(borrowed->transaction_state(), outside);
}

}  // namespace
}  // namespace tq::conformance
