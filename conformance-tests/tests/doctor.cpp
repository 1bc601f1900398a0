// OPS-6 and CLM-8: what is missing or wrong in a database is found and named, and what is said
// about it helps.
#include "tq/doctor.hpp"

#include <algorithm>

#include "clock_shift.hpp"
#include "fixture.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

using Findings = std::vector<Finding>;

std::string shown(const Findings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += finding.subject + " | " + std::string{name(finding.verdict)} + " | " + finding.found +
            " | " + finding.advice + "\n";
  }
  return text;
}

Findings problems(const Findings& findings) {
  Findings found;
  std::ranges::copy_if(findings, std::back_inserter(found),
                       [](const Finding& finding) { return finding.verdict == Verdict::problem; });
  return found;
}

// The finding of that subject; none: one that is like no other.
Finding about(const std::string& subject, const Findings& findings) {
  const auto found = std::ranges::find(findings, subject, &Finding::subject);
  if (found != findings.end()) return *found;
  return {.subject = "nothing about " + subject};
}

// A place of its own for each test, with the tables.
class Doctor : public PairTest {
 protected:
  void SetUp() override {
    PairTest::SetUp();
    fresh_ = make_place(server());
    connection_ = fresh_->open();
    raw_ = fresh_->raw();
    install_schema(*connection_, dialect());
  }
  [[nodiscard]] const Place& fresh() const { return *fresh_; }
  [[nodiscard]] Connection& connection() const { return *connection_; }
  [[nodiscard]] RawConnection& raw() const { return *raw_; }
  [[nodiscard]] Dialect dialect() const { return fresh_->dialect(); }
  [[nodiscard]] Findings findings() const { return examine(*connection_, dialect()); }

  // Does what is advised about a missing table or index: the script, or a statement of its own.
  void follow(const Finding& finding) const {
    EXPECT_EQ(finding.verdict, Verdict::problem) << finding.subject;
    if (finding.advice.find("tq init --print") == std::string::npos) {
      raw_->execute(finding.advice);
    } else {
      raw_->execute(schema_sql(dialect()));
    }
  }
  void expect_healthy() const {
    const auto all = findings();
    EXPECT_TRUE(problems(all).empty()) << shown(problems(all));
  }

 private:
  OwnPlace fresh_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<RawConnection> raw_;
};
INSTANTIATE_TEST_SUITE_P(, Doctor, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Doctor, OPS_6_HealthyPlaceHasNoProblem) {
  const auto all = findings();
  EXPECT_TRUE(problems(all).empty()) << shown(all);
  const bool explains = !dialect().explain.prefix.empty();
  for (const auto* subject : {"round trip", "clock", "schema version", "tables", "indexes",
                              explains ? "plan of claim_pick" : "plans", "write"}) {
    EXPECT_EQ(about(subject, all).subject, subject);
  }
  for (const auto& finding : all) {
    EXPECT_NE(finding.found, "") << finding.subject;
    EXPECT_EQ(finding.advice.empty(), finding.verdict == Verdict::ok) << shown({finding});
  }
}

TEST_P(Doctor, OPS_6_MissingTablesAreAProblemAndNoError) {
  const auto empty = make_place(server());
  const auto bad = problems(examine(*empty->open(), empty->dialect()));
  ASSERT_EQ(bad.size(), 1U) << shown(bad);
  EXPECT_EQ(bad[0].subject, "schema version");
  EXPECT_NE(bad[0].advice.find("tq init"), std::string::npos) << bad[0].advice;
}

TEST_P(Doctor, OPS_6_EachMissingIndexIsNamedAndTheAdviceMakesIt) {
  std::size_t dropped = 0;
  for (const auto& object : raw().execute(fresh().objects())) {
    const auto& index = object.at(1);
    if (object.at(0) != "index") continue;
    try {
      raw().execute(texts().drop_index(fresh().table("tq_job"), index));
    } catch (const RawError&) {
      continue;  // That of a primary key goes with its table alone.
    }
    ++dropped;
    follow(about("index " + index, findings()));
    expect_healthy();
  }
  EXPECT_GE(dropped, 6U);
}

TEST_P(Doctor, OPS_6_CLM_8_MissingIndexShowsInThePlans) {
  if (dialect().explain.prefix.empty()) {
    EXPECT_NE(about("plans", findings()).found.find("not checked"), std::string::npos);
    return;
  }
  raw().execute(texts().drop_index(fresh().table("tq_job"), "tq_job_claim"));
  auto all = findings();
  EXPECT_EQ(about("plan of claim_pick", all).verdict, Verdict::problem) << shown(all);
  EXPECT_EQ(about("plan of expired", all).verdict, Verdict::ok) << shown(all);
  raw().execute(texts().drop_index(fresh().table("tq_job"), "tq_job_lease"));
  all = findings();
  EXPECT_EQ(about("plan of expired", all).verdict, Verdict::problem) << shown(all);
  for (const auto* index : {"index tq_job_claim", "index tq_job_lease"}) follow(about(index, all));
  expect_healthy();
}

TEST_P(Doctor, OPS_6_MissingTableIsNamedAndTheAdviceMakesIt) {
  for (const std::string table : {"tq_failure", "tq_queue"}) {
    raw().execute("DROP TABLE " + fresh().table(table));
    follow(about("table " + table, findings()));
    expect_healthy();
  }
}

TEST_P(Doctor, OPS_6_NewerAndOlderTablesAreAProblem) {
  const auto table = fresh().table("tq_schema");
  auto newer_library = dialect();
  const int known = schema_version(newer_library);
  newer_library.migrations.push_back({.version = known + 1, .name = "more", .texts = {}});
  const auto older = about("schema version", examine(connection(), newer_library));
  EXPECT_EQ(older.verdict, Verdict::problem) << older.found;
  EXPECT_NE(older.advice.find("tq init"), std::string::npos) << older.advice;
  raw().execute("INSERT INTO " + table + " (version, installed_at) " +
                "SELECT MAX(version) + 1, MAX(installed_at) FROM " + table);
  const auto newer = about("schema version", findings());
  EXPECT_EQ(newer.verdict, Verdict::problem) << newer.found;
  EXPECT_EQ(newer.advice.find("tq init"), std::string::npos) << newer.advice;
}

TEST_P(Doctor, OPS_6_NamedSchemaIsLookedAtAndNoOther) {
  const auto beside = fresh().beside(connection());
  ASSERT_EQ(beside.has_value(), facts().named_schema);
  if (!beside) return;
  auto bad = problems(examine(connection(), *beside));
  EXPECT_EQ(about("schema version", bad).verdict, Verdict::problem) << shown(bad);
  install_schema(connection(), *beside);
  raw().execute("DROP TABLE " + fresh().table("tq_failure"));
  bad = problems(examine(connection(), *beside));
  EXPECT_TRUE(bad.empty()) << shown(bad);
  EXPECT_EQ(about("table tq_failure", findings()).verdict, Verdict::problem);
}

TEST_P(Doctor, OPS_6_NothingIsChanged) {
  const Queue queue{dialect()};
  for (const auto* key : {"waits", "runs", "is overdue"}) {
    queue.enqueue(connection(), {.queue = "tq-doctor", .kind = "k", .unique_key = key});
  }
  queue.enqueue(connection(), {.queue = "tq-doctor", .kind = "k", .delay = 1h});
  const auto held = queue.claim(connection(), {.queue = "tq-doctor", .worker = "w", .limit = 2});
  raw().execute("UPDATE " + fresh().table("tq_job") +
                " SET lease_until = " + texts().earlier("lease_until", 1h) +
                " WHERE job_id = " + texts().id(held.at(1).job_id));
  const auto contents = [&] {
    auto rows = raw().execute(fresh().objects());
    for (const auto* table : {"tq_job", "tq_queue", "tq_failure", "tq_schema"}) {
      std::ranges::move(raw().execute("SELECT * FROM " + fresh().table(table) + " ORDER BY 1"),
                        std::back_inserter(rows));
    }
    return rows;
  };
  const auto before = contents();
  EXPECT_EQ(before.size(), raw().execute(fresh().objects()).size() + 5);
  expect_healthy();
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(connection().transaction_state(), TransactionState::none);
}

TEST_P(Doctor, OPS_6_ENQ_2_BorrowedConnectionKeepsItsTransactionAndItsSettings) {
  const auto borrowed = raw().borrow();
  const auto settings = raw().execute(texts().session_settings);
  for (const auto& begin : {std::string{}, texts().begin}) {
    if (!begin.empty()) raw().execute(begin);
    const auto all = examine(*borrowed, dialect());
    EXPECT_TRUE(problems(all).empty()) << shown(all);
    for (const auto* subject : {"plans", "write"}) {
      EXPECT_NE(about(subject, all).found.find("not checked"), std::string::npos) << subject;
    }
    if (!begin.empty()) {
      EXPECT_NE(borrowed->transaction_state(), TransactionState::none);
      raw().execute(texts().rollback);
    }
    EXPECT_EQ(raw().execute(texts().session_settings), settings);
  }
}

TEST_P(Doctor, OPS_6_ReadOnlySessionIsExaminedAndIsAProblem) {
  if (texts().read_only_session.empty()) return weaker("OPS-6", cannot_be_read_only);
  const auto& writable = server().limits.session;
  if (!writable.empty()) weaker("OPS-6", "a read-only session is not examined: " + writable);
  const auto reader = fresh().open({.session = {texts().read_only_session}});
  const auto all = examine(*reader, dialect());
  EXPECT_EQ(about("write", all).verdict, writable.empty() ? Verdict::problem : Verdict::ok)
      << shown(all);
  // An engine may not explain a change that the session may not make.
  EXPECT_NE(about("plan of claim_pick", all).verdict, Verdict::problem) << shown(all);
  EXPECT_EQ(about("schema version", all).verdict, Verdict::ok) << shown(all);
}

TEST_P(Doctor, OPS_6_LSE_4_WrongClockHereIsOnlyAdvice) {
  for (const Duration shift : {Duration{1h}, Duration{-1h}}) {
    const ClockShift wrong{shift};
    const auto all = findings();
    const auto clock = about("clock", all);
    EXPECT_EQ(clock.verdict, Verdict::advice) << clock.found;
    EXPECT_NE(clock.found.find(shift > Duration{} ? "behind" : "ahead"), std::string::npos);
    EXPECT_TRUE(problems(all).empty()) << shown(all);
  }
}

TEST_P(Doctor, OPS_6_EngineThatCannotExplainIsSaidToBeUnchecked) {
  auto silent = dialect();
  silent.explain = {};
  const auto all = examine(connection(), silent);
  EXPECT_NE(about("plans", all).found.find("not checked"), std::string::npos) << shown(all);
  EXPECT_TRUE(problems(all).empty()) << shown(all);
}

}  // namespace
}  // namespace tq::conformance
