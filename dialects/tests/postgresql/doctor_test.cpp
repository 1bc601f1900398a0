// What doctor.sql finds on a PostgreSQL server: roles, settings, vacuum, indexes that are not
// valid; and that the statements that it advises help. The server's URL is the program's argument.
// Its role must be allowed to create schemas and roles.
#include "tq/doctor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tq/error.hpp"
#include "tq/libpq.hpp"
#include "tq/postgresql.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace tq {
namespace {

std::string& server() {
  static std::string url;
  return url;
}

// A schema with the tables, and a role that may do nothing yet. Both are removed at the end.
class PostgresqlDoctor : public testing::Test {
 protected:
  void SetUp() override {
    install_schema(*owner_, dialect());
    owner_->execute("CREATE ROLE " + name_ + " LOGIN PASSWORD 'tqd'");
  }
  void TearDown() override {
    owner_->execute("DROP SCHEMA " + name_ + " CASCADE");
    owner_->execute("DROP ROLE " + name_);
  }

  [[nodiscard]] Dialect dialect() const { return postgresql({.schema = name_}); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Connection& owner() const { return *owner_; }

  [[nodiscard]] std::unique_ptr<Connection> role() const {
    const char* separator = server().find('?') == std::string::npos ? "?" : "&";
    return LibpqConnection::open(server() + separator + "user=" + name_ + "&password=tqd",
                                 dialect().session);
  }
  void revoke_all() const {
    owner_->execute("REVOKE ALL ON ALL TABLES IN SCHEMA " + name_ + " FROM " + name_);
  }
  [[nodiscard]] Finding as_role(const std::string& subject) const {
    return about(subject, examine(*role(), dialect()));
  }
  [[nodiscard]] Finding as_owner(const std::string& subject) const {
    return about(subject, examine(owner(), dialect()));
  }

  static Finding about(const std::string& subject, const std::vector<Finding>& findings) {
    const auto found = std::ranges::find(findings, subject, &Finding::subject);
    if (found != findings.end()) return *found;
    return {.subject = "nothing about " + subject};
  }
  // The statements that stand behind the last colon.
  static std::string advised(const Finding& finding) {
    EXPECT_NE(finding.verdict, Verdict::ok) << finding.subject;
    const auto colon = finding.advice.rfind(": ");
    return colon == std::string::npos ? finding.advice : finding.advice.substr(colon + 2);
  }
  static std::string problems(const std::vector<Finding>& findings) {
    std::string text;
    for (const auto& finding : findings) {
      if (finding.verdict == Verdict::problem)
        text += finding.subject + ": " + finding.found + "; ";
    }
    return text;
  }

 private:
  std::string name_ = "tqd_" + std::to_string(getpid());
  std::unique_ptr<Connection> owner_ = LibpqConnection::open(server());
};

TEST_F(PostgresqlDoctor, ARoleThatMayDoNothingIsToldEveryGrantThatItNeeds) {
  EXPECT_EQ(as_role("may enqueue").verdict, Verdict::problem);
  EXPECT_EQ(as_role("may work").verdict, Verdict::problem);
  EXPECT_EQ(as_role("may operate").verdict, Verdict::problem);
  EXPECT_EQ(as_role("schema version").verdict, Verdict::problem) << "it cannot be read";
  owner().execute(advised(as_role("may enqueue")));
  EXPECT_EQ(as_role("may enqueue").verdict, Verdict::ok);
  EXPECT_EQ(as_role("schema version").verdict, Verdict::ok);
}

TEST_F(PostgresqlDoctor, ARoleThatOnlyEnqueuesHasNoProblem) {
  owner().execute(advised(as_role("may enqueue")));
  const auto findings = examine(*role(), dialect());
  EXPECT_EQ(problems(findings), "");
  EXPECT_EQ(about("may work", findings).verdict, Verdict::advice);
  EXPECT_EQ(about("may operate", findings).verdict, Verdict::advice);
  for (const auto* subject : {"plan of claim_pick", "write"}) {
    const auto unseen = about(subject, findings);
    EXPECT_NE(unseen.found.find("not checked"), std::string::npos) << unseen.found;
    EXPECT_EQ(unseen.verdict, Verdict::advice) << subject;
    EXPECT_NE(unseen.advice, "") << subject;
  }
}

TEST_F(PostgresqlDoctor, TheGrantsForAWorkerLetItsStatementsBePlanned) {
  owner().execute(advised(as_role("may work")));
  const auto findings = examine(*role(), dialect());
  EXPECT_EQ(problems(findings), "");
  EXPECT_EQ(about("may work", findings).verdict, Verdict::ok);
  EXPECT_EQ(about("may enqueue", findings).verdict, Verdict::advice);
  EXPECT_EQ(about("plan of claim_pick", findings).found, "as intended");
  EXPECT_EQ(about("plan of finish", findings).found, "as intended");
  EXPECT_EQ(about("write", findings).found, "the job table can be written to");
}

TEST_F(PostgresqlDoctor, TheGrantsForEachUseAreEnoughForIt) {
  const Queue queue{dialect()};
  const auto job = [](const char* key) {
    return NewJob{.queue = "q", .kind = "k", .unique_key = key, .group_key = "g"};
  };
  owner().execute(advised(as_role("may enqueue")));
  EXPECT_TRUE(queue.enqueue(*role(), job("a")).inserted);
  EXPECT_FALSE(queue.enqueue(*role(), job("a")).inserted);
  EXPECT_TRUE(queue.enqueue(*role(), std::vector{job("b"), job("c")}).at(1).inserted);
  revoke_all();
  owner().execute(advised(as_role("may work")));
  const auto worker = role();
  const auto claim = [&] { return queue.claim(*worker, {.queue = "q", .worker = "w"}).at(0); };
  queue.announce_listening(*worker, "q", std::chrono::seconds{1});
  EXPECT_EQ(queue.fail(*worker, claim().lease(), {.then = Failure::Then::dead}), Finish::done);
  const auto held = claim();
  EXPECT_EQ(queue.extend(*worker, held.lease(), std::chrono::seconds{9}).outcome, Finish::done);
  EXPECT_EQ(queue.complete(*worker, held.lease()), Finish::done);
  EXPECT_EQ(queue.purge(*worker, {.older_than = {}}), 1U);
  revoke_all();
  owner().execute(advised(as_role("may operate")));
  const auto operators = role();
  queue.pause(*operators, "q");
  EXPECT_EQ(queue.stats(*operators, "q").at(0).dead, 1);
  const auto dead = queue.list(*operators, {.state = State::dead}).at(0).job_id;
  const auto requeued = queue.requeue(*operators, std::vector{dead}, 1);
  EXPECT_EQ(requeued.at(0).outcome, Requeued::Outcome::requeued);
  EXPECT_EQ(queue.cancel(*operators, std::vector{dead}).at(0), Cancelled::cancelled);
  EXPECT_EQ(queue.purge(*operators, {.state = State::cancelled, .older_than = {}}), 1U);
}

TEST_F(PostgresqlDoctor, OneColumnThatIsLeftOutOfAGrantIsMissed) {
  owner().execute(advised(as_role("may work")));
  owner().execute("REVOKE UPDATE (last_outcome) ON " + name() + ".tq_job FROM " + name());
  EXPECT_EQ(as_role("may work").verdict, Verdict::problem);
  owner().execute(advised(as_role("may work")));
  EXPECT_EQ(as_role("may work").verdict, Verdict::ok);
}

TEST_F(PostgresqlDoctor, AnIsolationThatTheRoleWasGivenIsAdvice) {
  EXPECT_EQ(as_role("default isolation").verdict, Verdict::ok);
  owner().execute("ALTER ROLE " + name() + " SET default_transaction_isolation = 'serializable'");
  const auto finding = as_role("default isolation");
  EXPECT_EQ(finding.verdict, Verdict::advice);
  EXPECT_EQ(finding.found, "serializable");
  role()->execute(advised(finding));
  EXPECT_EQ(as_role("default isolation").verdict, Verdict::ok);
}

TEST_F(PostgresqlDoctor, ReadOnlyByDefaultIsAProblem) {
  owner().execute("ALTER ROLE " + name() + " SET default_transaction_read_only = on");
  const auto finding = as_role("read-only by default");
  EXPECT_EQ(finding.verdict, Verdict::problem);
  role()->execute(advised(finding));
  EXPECT_EQ(as_role("read-only by default").verdict, Verdict::ok);
}

TEST_F(PostgresqlDoctor, CommitsThatNobodyWaitsForAreAdvice) {
  owner().execute("ALTER ROLE " + name() + " SET synchronous_commit = off");
  const auto finding = as_role("synchronous_commit");
  EXPECT_EQ(finding.verdict, Verdict::advice);
  EXPECT_NE(finding.advice.find("ALTER ROLE " + name()), std::string::npos) << finding.advice;
}

TEST_F(PostgresqlDoctor, AutovacuumThatIsOffForTheJobTableIsAProblem) {
  EXPECT_EQ(as_owner("autovacuum of tq_job").verdict, Verdict::ok);
  owner().execute("ALTER TABLE " + name() + ".tq_job SET (autovacuum_enabled = off)");
  const auto finding = as_owner("autovacuum of tq_job");
  EXPECT_EQ(finding.verdict, Verdict::problem);
  owner().execute(advised(finding));
  EXPECT_EQ(as_owner("autovacuum of tq_job").verdict, Verdict::ok);
}

TEST_F(PostgresqlDoctor, AnIndexWhoseMakingFailedIsNotValid) {
  owner().execute("DROP INDEX " + name() + ".tq_job_unique");
  owner().execute("INSERT INTO " + name() +
                  ".tq_job (queue, kind, payload, unique_key) "
                  "SELECT 'q', 'k', '{}', 'the same' FROM generate_series(1, 2)");
  EXPECT_THROW(owner().execute("CREATE UNIQUE INDEX CONCURRENTLY tq_job_unique ON " + name() +
                               ".tq_job (queue, unique_key) "
                               "WHERE unique_key IS NOT NULL AND state IN ('ready', 'running')"),
               Error);
  const auto finding = as_owner("index tq_job_unique");
  EXPECT_EQ(finding.verdict, Verdict::problem);
  EXPECT_EQ(finding.found, "not valid");
  owner().execute("DELETE FROM " + name() + ".tq_job");
  owner().execute(advised(finding));
  EXPECT_EQ(problems(examine(owner(), dialect())), "");
}

}  // namespace
}  // namespace tq

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  tq::server() = argv[1];
  return RUN_ALL_TESTS();
}
