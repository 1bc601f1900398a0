// What doctor.sql finds on a server of MySQL or MariaDB: grants, settings, tables and columns that
// were changed, old transactions; and that the statements that it advises help. The servers' URLs
// stand in TQ_TEST_MYSQL_URL. Their user must be allowed to make databases and users, and to change
// global settings, so no other test may use the servers meanwhile.
#include "tq/doctor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "servers.hpp"
#include "tq/error.hpp"
#include "tq/mysql.hpp"
#include "tq/mysql_connector.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace tq {
namespace {

// MySQL's two; MariaDB has one.
std::vector<const char*> forms_of_a_plan(Connection& connection) {
  try {
    connection.execute("SET SESSION explain_json_format_version = 1");
  } catch (const Error&) {
    return {"DO 0"};
  }
  return {"SET SESSION explain_json_format_version = 1",
          "SET SESSION explain_json_format_version = 2"};
}

// Does the second when it goes, whatever happens after the first.
class For {
 public:
  For(Connection& connection, const std::string& first, std::string second)
      : connection_(connection), second_(std::move(second)) {
    connection_.execute(first);
  }
  For(const For&) = delete;
  For& operator=(const For&) = delete;
  ~For() {
    try {
      connection_.execute(second_);
    } catch (const Error& error) {
      ADD_FAILURE() << second_ << ": " << error.what();
    }
  }

 private:
  Connection& connection_;
  std::string second_;
};

// A database with the tables, and a user that may do nothing there yet but ask for the version.
class MysqlDoctor : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    install_schema(*owner_, dialect());
    owner_->execute("CREATE USER " + user() + " IDENTIFIED BY 'tqd'");
    grant_the_version();
  }
  void TearDown() override {
    owner_->execute("DROP DATABASE " + name_);
    owner_->execute("DROP USER " + user());
  }

  [[nodiscard]] Dialect dialect() const { return mysql({.schema = name_}); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string user() const { return "'" + name_ + "'@'%'"; }
  [[nodiscard]] std::string table(const std::string& table) const { return name_ + "." + table; }
  [[nodiscard]] Connection& owner() const { return *owner_; }

  [[nodiscard]] std::unique_ptr<Connection> as_user() const {
    const auto& url = GetParam();
    const auto place = url.substr(url.find('@'), url.find('/', url.find('@')) - url.find('@'));
    return MysqlConnection::open("mysql://" + name_ + ":tqd" + place + "/" + name_,
                                 dialect().session);
  }
  void grant_the_version() const {
    owner_->execute("GRANT SELECT ON " + table("tq_schema") + " TO " + user());
  }
  void revoke_all() const {
    owner_->execute("REVOKE ALL PRIVILEGES, GRANT OPTION FROM " + user());
    grant_the_version();
  }
  [[nodiscard]] Finding as_user(const std::string& subject) const {
    return about(subject, examine(*as_user(), dialect()));
  }
  // On a new connection: a setting that was changed for all is that of those that come later.
  [[nodiscard]] Finding as_owner(const std::string& subject) const {
    return about(subject,
                 examine(*MysqlConnection::open(GetParam(), dialect().session), dialect()));
  }

  static Finding about(const std::string& subject, const std::vector<Finding>& findings) {
    const auto found = std::ranges::find(findings, subject, &Finding::subject);
    if (found != findings.end()) return *found;
    return {.subject = "nothing about " + subject};
  }
  // Runs the statements that stand behind the last colon.
  void follow(const Finding& finding) const {
    EXPECT_NE(finding.verdict, Verdict::ok) << finding.subject;
    const auto colon = finding.advice.rfind(": ");
    std::istringstream rest{colon == std::string::npos ? finding.advice
                                                       : finding.advice.substr(colon + 2)};
    for (std::string statement; std::getline(rest, statement, ';');) owner_->execute(statement);
  }
  static std::string problems(const std::vector<Finding>& findings) {
    std::string text;
    for (const auto& finding : findings) {
      if (finding.verdict == Verdict::problem)
        text += finding.subject + ": " + finding.found + "; ";
    }
    return text;
  }
  // A problem, which is none any more once its advice was followed.
  void expect_mended(const std::string& subject, const std::string& after) const {
    const auto finding = as_owner(subject);
    EXPECT_EQ(finding.verdict, Verdict::problem) << finding.subject;
    follow(finding);
    EXPECT_EQ(as_owner(after).verdict, Verdict::ok);
    EXPECT_EQ(as_owner(after).subject, after);
    EXPECT_EQ(problems(examine(owner(), dialect())), "");
  }

 private:
  std::string name_ = "tqd_" + std::to_string(getpid());
  std::unique_ptr<Connection> owner_ = MysqlConnection::open(GetParam());
};
INSTANTIATE_TEST_SUITE_P(, MysqlDoctor, testing::ValuesIn(servers()),
                         [](const auto& about) { return std::to_string(about.index); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MysqlDoctor);

TEST_P(MysqlDoctor, AUserThatMayDoNothingIsToldEveryGrantThatItNeeds) {
  for (const auto* use : {"may enqueue", "may work", "may operate"}) {
    EXPECT_EQ(as_user(use).verdict, Verdict::problem) << use;
    follow(as_user(use));
    EXPECT_EQ(as_user(use).verdict, Verdict::ok) << use;
    revoke_all();
  }
}

TEST_P(MysqlDoctor, AUserThatOnlyEnqueuesHasNoProblem) {
  follow(as_user("may enqueue"));
  const auto findings = examine(*as_user(), dialect());
  EXPECT_EQ(problems(findings), "");
  EXPECT_EQ(about("may work", findings).verdict, Verdict::advice);
  EXPECT_EQ(about("may operate", findings).verdict, Verdict::advice);
  EXPECT_EQ(about("table tq_failure", findings).verdict, Verdict::advice) << "cannot be seen";
  EXPECT_NE(about("plan of claim_pick", findings).found.find("not checked"), std::string::npos);
  EXPECT_NE(about("old transactions", findings).found.find("PROCESS"), std::string::npos);
}

TEST_P(MysqlDoctor, TheGrantsForAWorkerLetItsStatementsBePlanned) {
  follow(as_user("may work"));
  const auto findings = examine(*as_user(), dialect());
  EXPECT_EQ(problems(findings), "");
  EXPECT_EQ(about("may work", findings).verdict, Verdict::ok);
  EXPECT_EQ(about("plan of claim_pick", findings).found, "as intended");
  EXPECT_EQ(about("plan of finish", findings).found, "as intended");
  EXPECT_EQ(about("write", findings).found, "the job table can be written to");
}

TEST_P(MysqlDoctor, TheGrantsForEachUseAreEnoughForIt) {
  const Queue queue{dialect()};
  const auto job = [](const char* key) {
    return NewJob{.queue = "q", .kind = "k", .unique_key = key, .group_key = "g"};
  };
  follow(as_user("may enqueue"));
  EXPECT_TRUE(queue.enqueue(*as_user(), job("a")).inserted);
  EXPECT_FALSE(queue.enqueue(*as_user(), job("a")).inserted);
  EXPECT_TRUE(queue.enqueue(*as_user(), std::vector{job("b"), job("c")}).at(1).inserted);
  revoke_all();
  follow(as_user("may work"));
  const auto worker = as_user();
  const auto claim = [&] { return queue.claim(*worker, {.queue = "q", .worker = "w"}).at(0); };
  EXPECT_THROW(queue.pause(*worker, "q"), tq::Error);
  EXPECT_EQ(queue.fail(*worker, claim().lease(), {.then = Failure::Then::dead}), Finish::done);
  const auto held = claim();
  EXPECT_EQ(queue.extend(*worker, held.lease(), std::chrono::seconds{9}).outcome, Finish::done);
  EXPECT_EQ(queue.complete(*worker, held.lease()), Finish::done);
  EXPECT_EQ(queue.purge(*worker, {.older_than = {}}), 1U);
  revoke_all();
  follow(as_user("may operate"));
  const auto operators = as_user();
  queue.pause(*operators, "q");
  EXPECT_EQ(queue.stats(*operators, "q").at(0).dead, 1);
  const auto dead = queue.list(*operators, {.state = State::dead}).at(0).job_id;
  const auto requeued = queue.requeue(*operators, std::vector{dead}, 1);
  EXPECT_EQ(requeued.at(0).outcome, Requeued::Outcome::requeued);
  EXPECT_EQ(queue.cancel(*operators, std::vector{dead}).at(0), Cancelled::cancelled);
  EXPECT_EQ(queue.purge(*operators, {.state = State::cancelled, .older_than = {}}), 1U);
}

TEST_P(MysqlDoctor, AGrantOnAPatternOfDatabasesCounts) {
  owner().execute("GRANT SELECT, INSERT, UPDATE, DELETE ON `tqd\\_%`.* TO " + user());
  EXPECT_EQ(as_user("may operate").verdict, Verdict::ok);
  EXPECT_EQ(as_user("may operate").found, name() + "@% may");
}

TEST_P(MysqlDoctor, WhatARoleMayDoIsSaidToBeUnknown) {
  const auto role = name() + "_role";
  const For made{owner(), "CREATE ROLE " + role, "DROP ROLE " + role};
  owner().execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table("*") + " TO " + role);
  owner().execute("GRANT " + role + " TO " + user());
  const auto connection = as_user();
  connection->execute("SET ROLE " + role);
  const auto findings = examine(*connection, dialect());
  EXPECT_EQ(problems(findings), "");
  EXPECT_NE(about("may work", findings).found.find("not looked at"), std::string::npos);
  EXPECT_EQ(about("plan of claim_pick", findings).found, "as intended");
}

TEST_P(MysqlDoctor, AnotherEngineIsAProblem) {
  owner().execute("ALTER TABLE " + table("tq_queue") + " ENGINE = MyISAM");
  expect_mended("engine of tq_queue", "engine");
}

TEST_P(MysqlDoctor, AnotherCollationIsAProblem) {
  owner().execute("ALTER TABLE " + table("tq_queue") +
                  " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
  expect_mended("collation of tq_queue", "collations");
  owner().execute("ALTER TABLE " + table("tq_job") +
                  " MODIFY last_worker VARCHAR(128) CHARACTER SET latin1");
  expect_mended("collation of tq_job", "collations");
}

TEST_P(MysqlDoctor, AnIndexOnOtherColumnsIsAProblemAndShowsInEachFormOfAPlan) {
  const auto findings = [&](const char* form) {
    auto session = dialect().session;
    session.emplace_back(form);
    return examine(*MysqlConnection::open(GetParam(), session), dialect());
  };
  for (const auto* form : forms_of_a_plan(owner())) EXPECT_EQ(problems(findings(form)), "") << form;
  owner().execute("ALTER TABLE " + table("tq_job") +
                  " DROP INDEX tq_job_claim, ADD INDEX tq_job_claim (claim_q, attempts)");
  for (const auto* form : forms_of_a_plan(owner())) {
    EXPECT_EQ(about("plan of claim_pick", findings(form)).verdict, Verdict::problem) << form;
  }
  expect_mended("index tq_job_claim", "indexes");
}

TEST_P(MysqlDoctor, AReadOnlyServerIsAProblem) {
  const For setting{owner(), "SET GLOBAL read_only = ON", "SET GLOBAL read_only = OFF"};
  expect_mended("read_only", "read_only");
}

TEST_P(MysqlDoctor, TheIsolationThatTransactionsOfTheApplicationGetIsAdvice) {
  const std::string set = "SET GLOBAL TRANSACTION ISOLATION LEVEL ";
  auto before = as_owner("default isolation").found;
  std::ranges::replace(before, '-', ' ');
  const For setting{owner(), set + "SERIALIZABLE", set + before};
  const auto finding = as_owner("default isolation");
  EXPECT_EQ(finding.verdict, Verdict::advice);
  EXPECT_EQ(finding.found, "SERIALIZABLE");
  follow(finding);
  EXPECT_EQ(as_owner("default isolation").verdict, Verdict::ok);
}

TEST_P(MysqlDoctor, ASmallPacketIsAProblemAndAnUnsafeFlushAdvice) {
  {
    const For setting{owner(), "SET GLOBAL max_allowed_packet = 1048576",
                      "SET GLOBAL max_allowed_packet = 67108864"};
    expect_mended("max_allowed_packet", "max_allowed_packet");
  }
  const std::string flush = "SET GLOBAL innodb_flush_log_at_trx_commit = ";
  const For setting{owner(), flush + "2", flush + "1"};
  const auto finding = as_owner("innodb_flush_log_at_trx_commit");
  EXPECT_EQ(finding.verdict, Verdict::advice);
  follow(finding);
  EXPECT_EQ(as_owner("innodb_flush_log_at_trx_commit").verdict, Verdict::ok);
}

TEST_P(MysqlDoctor, ACharacterSetThatTheServerGivesSessionsIsPutRight) {
  const For setting{owner(), "SET GLOBAL init_connect = 'SET NAMES latin1'",
                    "SET GLOBAL init_connect = ''"};
  const auto connection = as_user();
  EXPECT_NO_THROW((void)examine(*connection, dialect()));
}

TEST_P(MysqlDoctor, AnOldTransactionIsNamedWithItsSession) {
  const auto other = MysqlConnection::open(GetParam());
  other->execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
  other->execute("UPDATE " + table("tq_schema") + " SET version = version");
  EXPECT_EQ(as_owner("old transactions").verdict, Verdict::ok);
  auto session = dialect().session;
  session.emplace_back("SET SESSION time_zone = '+05:00'");
  session.emplace_back("SET SESSION timestamp = UNIX_TIMESTAMP() + 3600");
  const auto later = MysqlConnection::open(GetParam(), session);
  const auto finding = about("old transactions", examine(*later, dialect()));
  EXPECT_EQ(finding.verdict, Verdict::advice);
  EXPECT_NE(finding.found.find(", 36"), std::string::npos) << finding.found;
  follow(finding);
  EXPECT_THROW(other->execute("SELECT 1"), Error);
}

}  // namespace
}  // namespace tq
