#include <gtest/gtest.h>
#include <sqlite3.h>

#include "servers/sqlite.hpp"

namespace tq::servers {
namespace {

struct Case {
  int code;
  std::string_view message;
  Errc meaning;
};

class SqliteErrors : public testing::TestWithParam<Case> {};

TEST_P(SqliteErrors, AreTranslated) {
  EXPECT_EQ(sqlite_code(GetParam().code, GetParam().message), GetParam().meaning)
      << GetParam().code << " " << GetParam().message;
}

INSTANTIATE_TEST_SUITE_P(
    Codes, SqliteErrors,
    testing::Values(
        Case{SQLITE_BUSY, "", Errc::busy}, Case{SQLITE_BUSY_SNAPSHOT, "", Errc::busy},
        Case{SQLITE_BUSY_RECOVERY, "", Errc::busy}, Case{SQLITE_BUSY_TIMEOUT, "", Errc::busy},
        Case{SQLITE_LOCKED, "", Errc::busy}, Case{SQLITE_LOCKED_SHAREDCACHE, "", Errc::busy},
        Case{SQLITE_PROTOCOL, "", Errc::busy}, Case{SQLITE_CONSTRAINT_UNIQUE, "", Errc::duplicate},
        Case{SQLITE_CONSTRAINT_PRIMARYKEY, "", Errc::duplicate},
        Case{SQLITE_CONSTRAINT_ROWID, "", Errc::duplicate},
        Case{SQLITE_CONSTRAINT, "UNIQUE constraint failed: tq_job.job_id", Errc::duplicate},
        Case{SQLITE_CONSTRAINT, "CHECK constraint failed: x", Errc::constraint},
        Case{SQLITE_CONSTRAINT_CHECK, "", Errc::constraint},
        Case{SQLITE_CONSTRAINT_NOTNULL, "", Errc::constraint},
        Case{SQLITE_CONSTRAINT_DATATYPE, "", Errc::constraint},
        Case{SQLITE_CONSTRAINT_FOREIGNKEY, "", Errc::constraint},
        Case{SQLITE_INTERRUPT, "", Errc::cancelled},
        Case{SQLITE_CANTOPEN_ISDIR, "", Errc::connection_lost},
        Case{SQLITE_IOERR_FSYNC, "", Errc::connection_lost},
        Case{SQLITE_READONLY_DBMOVED, "", Errc::connection_lost},
        Case{SQLITE_READONLY, "", Errc::read_only},
        Case{SQLITE_READONLY_DIRECTORY, "", Errc::read_only}, Case{SQLITE_PERM, "", Errc::denied},
        Case{SQLITE_AUTH, "", Errc::denied}, Case{SQLITE_FULL, "", Errc::failed},
        Case{SQLITE_CORRUPT_INDEX, "", Errc::failed}, Case{SQLITE_NOTADB, "", Errc::failed},
        Case{SQLITE_NOMEM, "", Errc::failed},
        Case{SQLITE_ERROR, "no such table: tq_job", Errc::schema_missing},
        Case{SQLITE_ERROR, "no such table: jobs.tq_queue", Errc::schema_missing},
        Case{SQLITE_ERROR, "no such table: orders", Errc::failed},
        Case{SQLITE_ERROR, "near \"x\": syntax error", Errc::failed}));

TEST(SqliteError, NamesStatementFileNumberAndWhatToDo) {
  const auto error = sqlite_error(SQLITE_CANTOPEN_ISDIR, "unable to open database file",
                                  {.statement = "open", .path = "/srv/q.db"});
  EXPECT_EQ(error.statement(), "open");
  EXPECT_EQ(error.vendor_code(), SQLITE_CANTOPEN_ISDIR);
  EXPECT_STREQ(error.what(),
               "sqlite /srv/q.db (open): unable to open database file; the file, or its -wal or "
               "-shm beside it, cannot be opened; are the folder and the rights to write in it "
               "there?");
}

TEST(SqliteError, SaysToRunInitWhenTheTablesAreMissing) {
  const auto error = sqlite_error(SQLITE_ERROR, "no such table: tq_job", {});
  EXPECT_NE(std::string{error.what()}.find("tq init"), std::string::npos);
}

TEST(SqliteError, KeepsWhetherTheTransactionIsLost) {
  EXPECT_TRUE(sqlite_error(SQLITE_FULL, "", {.transaction_lost = true}).transaction_lost());
  EXPECT_FALSE(sqlite_error(SQLITE_FULL, "", {}).transaction_lost());
}

TEST(SqliteError, LeavesTheOutcomeOpenOnlyForAnInputOutputErrorInACommit) {
  EXPECT_TRUE(sqlite_error(SQLITE_IOERR_FSYNC, "", {.in_commit = true}).outcome_unknown());
  EXPECT_FALSE(sqlite_error(SQLITE_IOERR_FSYNC, "", {}).outcome_unknown());
  EXPECT_FALSE(sqlite_error(SQLITE_BUSY, "", {.in_commit = true}).outcome_unknown());
}

}  // namespace
}  // namespace tq::servers
