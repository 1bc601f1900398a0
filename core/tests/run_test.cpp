#include "run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "batch.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

// Records what it is asked and fails as often as told.
class FakeConnection final : public Connection {
 public:
  Rows run(const Statement& statement, std::span<const Argument> arguments) override {
    log.push_back(statement.name());
    for (const auto& argument : arguments) {
      if (const auto* given = std::get_if<std::string_view>(&argument)) last_text = *given;
    }
    fail_if_told();
    return answer;
  }
  void execute(std::string_view text) override { log.emplace_back(text); }
  void begin(const Transaction& /*transaction*/) override { log.emplace_back("BEGIN"); }
  void commit() override {
    log.emplace_back("COMMIT");
    if (commit_unknown) {
      throw Error{{.code = Errc::connection_lost, .outcome_unknown = true}, "lost"};
    }
  }
  void rollback() noexcept override { log.emplace_back("ROLLBACK"); }
  [[nodiscard]] bool borrowed() const noexcept override { return is_borrowed; }
  [[nodiscard]] bool usable() const noexcept override { return true; }
  [[nodiscard]] TransactionState transaction_state() const noexcept override { return state; }
  [[nodiscard]] bool has_session() const noexcept override { return session; }
  void cancel() noexcept override {}

  std::vector<std::string> log;
  std::string last_text;
  Rows answer;
  Errc error = Errc::deadlock;
  int failures = 0;
  bool commit_unknown = false;
  bool is_borrowed = false;
  bool session = true;
  TransactionState state = TransactionState::none;

 private:
  void fail_if_told() {
    if (failures == 0) return;
    --failures;
    throw Error{error, "told to"};
  }
};

Statement statement(const std::string& name, const std::string& text = "SELECT 1",
                    std::vector<Field> parameters = {}, std::vector<Field> columns = {}) {
  return {name, text, std::move(parameters), std::move(columns)};
}

Dialect dialect_without_operations() {
  const auto s = statement("unused");
  return {.name = "test",
          .facts = {.concurrent_writers = true,
                    .clock_resolution = Duration{1},
                    .announces = false,
                    .named_schema = true,
                    .error_fails_transaction = true,
                    .ddl_commits = false},
          .transaction = {.begin = "BEGIN"},
          .session = {},
          .listen = {},
          .schema_setup = {},
          .script = {},
          .explain = {},
          .enqueue = {},
          .holder = {},
          .claim = {.settle = {}, .probe = {}, .pick = {}, .mark = {}},
          .extend = {},
          .finish = {},
          .expired = {},
          .retake = {},
          .cancel = {},
          .requeue = {},
          .purge = {},
          .pause = s,
          .resume = s,
          .listening = s,
          .now = s,
          .stats = s,
          .finished = s,
          .list = s,
          .find = s,
          .failures = s,
          .doctor = {},
          .schema_lock = s,
          .schema_unlock = {},
          .schema_present = s,
          .schema_version = s,
          .migrations = {}};
}

class Run : public testing::Test {
 protected:
  Rows perform_all(const Operation& operation, Duplicates duplicates = Duplicates::final) {
    const std::vector<Named> arguments{{"x", std::string_view{"value"}}};
    return perform(connection, {dialect, limits}, operation, arguments, duplicates);
  }

  std::vector<std::string> log() const { return connection.log; }
  using Log = std::vector<std::string>;

  FakeConnection connection;
  const Dialect dialect = dialect_without_operations();
  RetryLimits limits{.attempts = 4, .wait = {.base = Duration{1}, .cap = Duration{1}}};
};

TEST_F(Run, RunsOneStatementOnItsOwn) {
  perform_all({{statement("a")}});
  EXPECT_EQ(log(), (Log{"a"}));
}

TEST_F(Run, SaysTheLevelOfOneStatementWhereTheSessionDoesNot) {
  connection.session = false;
  perform_all({{statement("a")}});
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "COMMIT"}));
}

TEST_F(Run, LeavesOutStepsThatNothingNeeds) {
  const Operation operation{{Statement{"w", "SELECT 1", {}, {}, When::waiting},
                             Statement{"a", "SELECT 1", {}, {}},
                             Statement{"f", "SELECT 1", {}, {}, When::failed},
                             Statement{"g", "SELECT 1", {}, {}, When::grouped}}};
  const auto run_with = [&](Needs needs) {
    connection.log.clear();
    perform(connection, {dialect, limits}, operation, {}, Duplicates::final, needs);
    return connection.log;
  };
  EXPECT_EQ(run_with({.waiting = false, .failed = false, .grouped = false}), Log{"a"});
  EXPECT_EQ(run_with({.waiting = false, .failed = true, .grouped = false}),
            (Log{"BEGIN", "a", "f", "COMMIT"}));
  EXPECT_EQ(run_with({}), (Log{"BEGIN", "w", "a", "f", "g", "COMMIT"}));
}

TEST_F(Run, RunsSeveralStepsInOneTransaction) {
  perform_all({{statement("a"), statement("b")}});
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "b", "COMMIT"}));
}

TEST_F(Run, RepeatsTheWholeTransactionAfterADeadlock) {
  int told = 0;
  limits.on_retry = [&](const Error& error) {
    EXPECT_EQ(error.code(), Errc::deadlock);
    ++told;
  };
  connection.failures = 1;
  perform_all({{statement("a"), statement("b")}});
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "ROLLBACK", "BEGIN", "a", "b", "COMMIT"}));
  EXPECT_EQ(told, 1);
}

TEST_F(Run, GivesUpAfterTheAllowedTries) {
  connection.failures = 100;
  EXPECT_THROW(perform_all({{statement("a")}}), Error);
  EXPECT_EQ(log().size(), 4U);
}

TEST_F(Run, RepeatsDuplicatesOnlyWhereToldTo) {
  connection.error = Errc::duplicate;
  connection.failures = 1;
  EXPECT_THROW(perform_all({{statement("a")}}), Error);
  connection.failures = 1;
  EXPECT_NO_THROW(perform_all({{statement("a")}}, Duplicates::retried));
}

TEST_F(Run, NeverRepeatsACommitWhoseAnswerWasLost) {
  connection.commit_unknown = true;
  try {
    perform_all({{statement("a"), statement("b")}});
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_TRUE(error.outcome_unknown());
  }
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "b", "COMMIT", "ROLLBACK"}));
}

TEST_F(Run, SaysThatALostConnectionLeavesASingleStatementOpen) {
  connection.error = Errc::connection_lost;
  connection.failures = 1;
  try {
    perform_all({{statement("a")}});
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_TRUE(error.outcome_unknown());
  }
}

TEST_F(Run, NeitherBeginsNorRepeatsOnABorrowedConnection) {
  connection.is_borrowed = true;
  connection.state = TransactionState::open;
  perform_all({{statement("a"), statement("b")}});
  EXPECT_EQ(log(), (Log{"a", "b"}));
  connection.failures = 1;
  EXPECT_THROW(perform_all({{statement("a")}}), Error);
  EXPECT_EQ(log(), (Log{"a", "b", "a"}));
}

TEST_F(Run, WantsATransactionForSeveralStepsOnABorrowedConnection) {
  connection.is_borrowed = true;
  try {
    perform_all({{statement("a"), statement("b")}});
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
  }
  EXPECT_TRUE(log().empty());
  connection.state = TransactionState::unknown;
  EXPECT_NO_THROW(perform_all({{statement("a"), statement("b")}}));
}

TEST_F(Run, GivesTheRowsOfOneStepToTheNext) {
  const std::vector<Field> columns{{"id", Type::text}, {"n", Type::int64}};
  connection.answer = Rows{2};
  connection.answer.push(std::string{"x\"y"});
  connection.answer.push(std::monostate{});
  const auto answer = perform_all({{statement("a", "SELECT :x", {{"x", Type::text}}, columns),
                                    statement("b", "SELECT :picked", {{"picked", Type::text}})}});
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "b", "COMMIT"}));
  EXPECT_EQ(connection.last_text, R"([{"id":"x\"y","n":null}])");
  EXPECT_EQ(answer.size(), 1U);
}

TEST_F(Run, LeavesAStepOutWhenNothingWasPicked) {
  connection.answer = Rows{1};
  perform_all({{statement("a", "SELECT 1", {}, {{"id", Type::text}}),
                statement("b", "SELECT :picked", {{"picked", Type::text}})}});
  EXPECT_EQ(log(), (Log{"BEGIN", "a", "COMMIT"}));
}

TEST_F(Run, NamesAnArgumentThatIsMissing) {
  try {
    perform_all({{statement("a", "SELECT :y", {{"y", Type::text}})}});
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string{error.what()}.find(":y"), std::string::npos);
  }
}

TEST(Backoff, GrowsToItsCap) {
  const Backoff backoff{.base = Duration{100}, .cap = Duration{1000}, .factor = 2, .jitter = 0.5};
  EXPECT_EQ(backoff.delay(1, 0.0), Duration{100});
  EXPECT_EQ(backoff.delay(3, 0.0), Duration{400});
  EXPECT_EQ(backoff.delay(5, 0.0), Duration{1000});
  EXPECT_EQ(backoff.delay(5000, 0.0), Duration{1000});
  EXPECT_EQ(backoff.delay(3, 0.999999).count(), 200);
}

TEST(Backoff, CarriesJitter) {
  const Backoff backoff{};
  std::set<Duration> seen;
  for (int i = 0; i < 100; ++i) {
    const auto delay = backoff.delay(1);
    EXPECT_GT(delay, backoff.base / 2 - Duration{1});
    EXPECT_LE(delay, backoff.base);
    seen.insert(delay);
  }
  EXPECT_GT(seen.size(), 50U);
}

TEST(JsonText, IsWhatAParserReads) {
  for (const std::string text : {"", "plain text", "a \"quoted\" one", "back\\slash",
                                 "line\nbreak\ttab", "\x01\x7f", "Grüße 🙂", "~ !"}) {
    std::string out = "[";
    append_json_text(out, text);
    EXPECT_EQ(nlohmann::json::parse(out + "]")[0], text);
  }
}

TEST(Batches, CutsAtAThousandRowsAndFourMebibytes) {
  Batches by_rows;
  for (int i = 0; i < 2001; ++i) by_rows.add({{"i", i}});
  const auto arrays = by_rows.take();
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(arrays[0]).size(), 1000U);
  EXPECT_EQ(nlohmann::json::parse(arrays[2]), nlohmann::json::parse(R"([{"i":2000}])"));

  Batches by_bytes;
  for (int i = 0; i < 9; ++i) by_bytes.add({{"p", std::string(1U << 20U, 'x')}});
  for (const auto& array : by_bytes.take()) EXPECT_LE(array.size(), max_batch_bytes);

  Batches empty;
  EXPECT_TRUE(empty.take().empty());
}

}  // namespace
}  // namespace tq
