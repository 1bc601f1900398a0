// What an uncommitted claim locks: the jobs that it takes, their entries of the claim index, and no
// gap. MySQL shows its locks; MariaDB is asked by a second session, row by row.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "servers.hpp"
#include "tq/mysql.hpp"
#include "tq/mysql_connector.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"

namespace tq {
namespace {

class MysqlLocks : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    install_schema(*own_, dialect());
    std::vector<NewJob> jobs(100, {.queue = "q", .kind = "k"});
    for (std::size_t i = 0; i < jobs.size(); i += 4) jobs[i].group_key = "g" + std::to_string(i);
    queue_.enqueue(*own_, jobs);
  }
  void TearDown() override { own_->execute("DROP DATABASE " + name_); }

  [[nodiscard]] Dialect dialect() const { return mysql({.schema = name_}); }
  [[nodiscard]] std::unique_ptr<Connection> open() const {
    return MysqlConnection::open(GetParam(), dialect().session);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Queue& queue() const { return queue_; }
  [[nodiscard]] Connection& own() const { return *own_; }
  [[nodiscard]] static bool mariadb(Connection& connection) {
    const Statement version{"version", "SELECT VERSION()", {}, {{"version", Type::text}}};
    return text(connection.run(version, {})[0][0]).find("MariaDB") != std::string::npos;
  }
  // The ids of the jobs of that state that another session can lock now.
  [[nodiscard]] std::size_t free_rows() const {
    const auto other = open();
    const Statement lockable{"lockable",
                             "SELECT HEX(j.job_id) FROM " + name_ +
                                 ".tq_job AS j FORCE INDEX (PRIMARY) FOR UPDATE SKIP LOCKED",
                             {},
                             {{"job_id", Type::text}}};
    return other->run(lockable, {}).size();
  }

 private:
  std::string name_ = "tqd_locks_" + std::to_string(::getpid());
  std::unique_ptr<Connection> own_ = MysqlConnection::open(GetParam(), dialect().session);
  Queue queue_{dialect()};
};
INSTANTIATE_TEST_SUITE_P(Servers, MysqlLocks, testing::ValuesIn(servers()),
                         [](const auto& server) { return std::to_string(server.index); });

TEST_P(MysqlLocks, AClaimHoldsExactlyTheRowsThatItTakes) {
  own().begin(dialect().transaction);
  ASSERT_EQ(queue().claim(own(), {.queue = "q", .worker = "w", .limit = 10}).size(), 10U);
  EXPECT_EQ(free_rows(), 90U);
  own().rollback();
  EXPECT_EQ(free_rows(), 100U);
}

TEST_P(MysqlLocks, AnotherClaimGetsTheNextAndAProducerDoesNotWait) {
  own().begin(dialect().transaction);
  const auto first = queue().claim(own(), {.queue = "q", .worker = "w", .limit = 10});
  const auto other = open();
  other->execute("SET SESSION innodb_lock_wait_timeout = 1");
  const auto second = queue().claim(*other, {.queue = "q", .worker = "v", .limit = 20});
  EXPECT_EQ(second.size(), 20U);
  // A gap lock would stop an insert among the jobs that are held.
  EXPECT_TRUE(queue().enqueue(*other, {.queue = "q", .kind = "k"}).inserted);
  own().commit();
  EXPECT_EQ(first.size(), 10U);
}

// https://dev.mysql.com/doc/refman/en/performance-schema-data-locks-table.html
TEST_P(MysqlLocks, MysqlItselfListsTenRecordsTenEntriesAndNoGap) {
  if (mariadb(own())) return;  // It has no such table; the tests above probe it.
  const auto picker = open();
  picker->begin(dialect().transaction);
  const auto pick = dialect().claim.pick.steps.front();
  const std::map<std::string, Argument> named{{"queue", std::string_view{"q"}},
                                              {"n", std::int64_t{10}},
                                              {"lease", std::int64_t{60'000'000}},
                                              {"priority", std::int64_t{0}}};
  std::vector<Argument> arguments;
  for (const auto& parameter : pick.parameters()) arguments.push_back(named.at(parameter.name));
  ASSERT_EQ(picker->run(pick, arguments).size(), 10U);
  const Statement locks{"locks",
                        "SELECT CONCAT(l.INDEX_NAME, ' ', l.LOCK_MODE), COUNT(*) "
                        "FROM performance_schema.data_locks AS l "
                        "WHERE l.OBJECT_SCHEMA = '" +
                            name() + "' AND l.LOCK_TYPE = 'RECORD' GROUP BY 1",
                        {},
                        {{"lock", Type::text}, {"number", Type::int64}}};
  std::map<std::string, std::int64_t> held;
  const auto rows = own().run(locks, {});
  for (std::size_t i = 0; i < rows.size(); ++i) held[text(rows[i][0])] = integer(rows[i][1]);
  picker->rollback();
  EXPECT_EQ(held, (std::map<std::string, std::int64_t>{{"PRIMARY X,REC_NOT_GAP", 10},
                                                       {"tq_job_claim X,REC_NOT_GAP", 10}}));
}

}  // namespace
}  // namespace tq
