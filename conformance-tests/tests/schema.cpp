// OPS-6: installing, upgrading and checking the tables.
#include "tq/schema.hpp"

#include <thread>

#include "child.hpp"
#include "fixture.hpp"
#include "tq/worker.hpp"

namespace tq::conformance {
namespace {

// A place of its own for each test, in which nothing is installed.
class Schema : public PairTest {
 protected:
  void SetUp() override {
    PairTest::SetUp();
    fresh_ = make_place(server());
    connection_ = fresh_->open();
  }
  [[nodiscard]] const Place& fresh() const { return *fresh_; }
  [[nodiscard]] Connection& connection() const { return *connection_; }
  [[nodiscard]] Dialect dialect() const { return fresh_->dialect(); }
  [[nodiscard]] std::vector<RawConnection::Row> objects() const {
    return fresh_->raw()->execute(fresh_->objects());
  }
  void expect_working() const {
    EXPECT_NO_THROW(check_schema(connection(), dialect()));
    const Queue queue{dialect()};
    const auto id = queue.enqueue(connection(), job()).job_id;
    const auto held = queue.claim(connection(), {.queue = "q", .worker = "w"});
    ASSERT_EQ(ids(held), std::vector{id});
    EXPECT_EQ(queue.complete(connection(), held[0].lease()), Finish::done);
  }
  void pretend_newer() const {
    const auto table = fresh_->table("tq_schema");
    fresh_->raw()->execute("INSERT INTO " + table + " (version, installed_at) " +
                           "SELECT MAX(version) + 1, MAX(installed_at) FROM " + table);
  }

 private:
  OwnPlace fresh_;
  std::unique_ptr<Connection> connection_;
};
INSTANTIATE_TEST_SUITE_P(, Schema, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Schema, OPS_6_InstallIsIdempotent) {
  EXPECT_EQ(installed_version(connection(), dialect()), 0);
  const auto first = install_schema(connection(), dialect());
  EXPECT_EQ(first.from, 0);
  EXPECT_EQ(first.to, schema_version(dialect()));
  const auto there = objects();
  EXPECT_FALSE(there.empty());
  const auto second = install_schema(connection(), dialect());
  EXPECT_EQ(second.from, first.to);
  EXPECT_EQ(second.to, first.to);
  EXPECT_EQ(objects(), there);
  EXPECT_EQ(installed_version(connection(), dialect()), first.to);
  expect_working();
}

TEST_P(Schema, OPS_6_TwentyProcessesInstallAtOnce) {
  constexpr int processes = 20;
  std::vector<Child> children;
  for (int i = 0; i < processes; ++i) children.push_back(start_child(server(), fresh(), "install"));
  for (auto& child : children) EXPECT_EQ(child.wait(), 0);
  expect_working();
}

TEST_P(Schema, OPS_6_ManyThreadsInstallAtOnceAndOneDoesTheWork) {
  constexpr std::size_t threads = 8;
  std::vector<Installed> answers(threads);
  at_once(threads, [&](std::size_t i) { answers[i] = install_schema(*fresh().open(), dialect()); });
  EXPECT_EQ(std::ranges::count(answers, 0, &Installed::from), 1);
  for (const auto& answer : answers) EXPECT_EQ(answer.to, schema_version(dialect()));
  expect_working();
}

TEST_P(Schema, OPS_6_InstallThatWaitedForAnotherFindsItDone) {
  const bool by_session = dialect().facts.ddl_commits;  // else the lock is the transaction's
  const auto raw = fresh().raw();
  const auto other = by_session ? fresh().open() : raw->borrow();
  if (by_session) {
    other->run(dialect().schema_lock, {});
  } else {
    raw->execute(texts().begin);
    install_schema(*other, dialect());
  }
  EXPECT_EQ(installed_version(connection(), dialect()), 0);
  Installed answer{};
  // It has looked already when the other's work is done.
  std::jthread waiting{[&] { EXPECT_NO_THROW(answer = install_schema(connection(), dialect())); }};
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  if (by_session) {
    install_schema(*other, dialect());
    other->run(*dialect().schema_unlock, {});
  } else {
    raw->execute(texts().commit);
  }
  waiting.join();
  EXPECT_EQ(answer.from, schema_version(dialect()));
  EXPECT_EQ(answer.to, schema_version(dialect()));
  expect_working();
}

TEST_P(Schema, OPS_6_PrintedScriptInstallsTheSameAndMayBeRunAgain) {
  install_schema(connection(), dialect());
  const auto expected = objects();
  const auto other = make_place(server());
  const auto raw = other->raw();
  const auto script = schema_sql(other->dialect());
  raw->execute(script);
  EXPECT_EQ(raw->execute(other->objects()), expected);
  raw->execute(script);
  EXPECT_EQ(raw->execute(other->objects()), expected);
  const auto there = other->open();
  EXPECT_NO_THROW(check_schema(*there, other->dialect()));
  EXPECT_EQ(install_schema(*there, other->dialect()).from, schema_version(other->dialect()));
}

TEST_P(Schema, OPS_6_EveryTableOfOursBeginsWithTq) {
  install_schema(connection(), dialect());
  for (const auto& object : objects()) {
    EXPECT_TRUE(object.at(0) != "table" || object.at(1).starts_with("tq_")) << object.at(1);
  }
}

TEST_P(Schema, OPS_6_MissingSchemaIsSaid) {
  const auto error = error_of([&] { check_schema(connection(), dialect()); });
  EXPECT_EQ(error.code(), Errc::schema_missing);
  EXPECT_NE(std::string{error.what()}.find("init"), std::string::npos)
      << "does not say what to do: " << error.what();
  Worker worker{Queue{dialect()}, [&] { return fresh().open(); }, {.queues = {{"q"}}}};
  worker.on_any([](const Job& /*job*/, Context& /*context*/) {});
  EXPECT_EQ(error_of([&] { worker.run({}); }).code(), Errc::schema_missing);
}

TEST_P(Schema, OPS_6_NewerSchemaIsSaidAndLeftAlone) {
  install_schema(connection(), dialect());
  pretend_newer();
  const auto there = objects();
  EXPECT_EQ(error_of([&] { check_schema(connection(), dialect()); }).code(), Errc::schema_newer);
  EXPECT_EQ(error_of([&] { install_schema(connection(), dialect()); }).code(), Errc::schema_newer);
  EXPECT_EQ(objects(), there);
  EXPECT_EQ(installed_version(connection(), dialect()), schema_version(dialect()) + 1);
  Worker worker{Queue{dialect()}, [&] { return fresh().open(); }, {.queues = {{"q"}}}};
  worker.on_any([](const Job& /*job*/, Context& /*context*/) {});
  EXPECT_EQ(error_of([&] { worker.run({}); }).code(), Errc::schema_newer);
}

TEST_P(Schema, OPS_6_ENQ_2_InstallOnABorrowedConnectionJoinsTheTransactionOrIsRefused) {
  const auto raw = fresh().raw();
  const auto borrowed = raw->borrow();
  raw->execute(texts().begin);
  if (dialect().facts.ddl_commits) {
    EXPECT_EQ(error_of([&] { install_schema(*borrowed, dialect()); }).code(), Errc::unsupported);
    raw->execute(texts().rollback);
    EXPECT_EQ(installed_version(connection(), dialect()), 0);
    install_schema(connection(), dialect());
    raw->execute(texts().begin);
    EXPECT_NO_THROW(install_schema(*borrowed, dialect())) << "there is nothing to do";
    raw->execute(texts().commit);
    return;
  }
  install_schema(*borrowed, dialect());
  raw->execute(texts().rollback);
  EXPECT_EQ(installed_version(connection(), dialect()), 0);
  raw->execute(texts().begin);
  install_schema(*borrowed, dialect());
  raw->execute(texts().commit);
  expect_working();
}

}  // namespace
}  // namespace tq::conformance
