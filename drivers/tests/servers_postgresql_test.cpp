// The table that turns SQLSTATEs into tq::Error.
#include <gtest/gtest.h>

#include "servers/postgresql.hpp"

namespace tq::servers {
namespace {

Error translated(std::string_view sqlstate) {
  return postgresql_error({.sqlstate = sqlstate, .message = "what the server says"}, "claim");
}

struct Row {
  std::string_view sqlstate;
  Errc code;
  bool transaction_lost;
  bool retryable;
};

class SqlstateTable : public testing::TestWithParam<Row> {};

TEST_P(SqlstateTable, GivesCodeAndConsequences) {
  const auto error = translated(GetParam().sqlstate);
  EXPECT_EQ(error.code(), GetParam().code) << name(error.code());
  EXPECT_EQ(error.transaction_lost(), GetParam().transaction_lost);
  EXPECT_EQ(error.retryable(), GetParam().retryable);
  EXPECT_EQ(error.sqlstate(), GetParam().sqlstate);
  EXPECT_EQ(error.statement(), "claim");
  EXPECT_FALSE(error.outcome_unknown());
}

INSTANTIATE_TEST_SUITE_P(
    Postgresql, SqlstateTable,
    testing::Values(
        Row{"40001", Errc::serialization, true, true}, Row{"40P01", Errc::deadlock, true, true},
        Row{"40000", Errc::serialization, true, true},
        Row{"26000", Errc::serialization, true, true}, Row{"55P03", Errc::busy, false, true},
        Row{"57014", Errc::cancelled, false, false}, Row{"23505", Errc::duplicate, false, false},
        Row{"42P06", Errc::duplicate, false, false}, Row{"42P07", Errc::duplicate, false, false},
        Row{"42710", Errc::duplicate, false, false}, Row{"23514", Errc::constraint, false, false},
        Row{"23502", Errc::constraint, false, false}, Row{"22P02", Errc::constraint, false, false},
        Row{"42P01", Errc::schema_missing, false, false},
        Row{"3F000", Errc::schema_missing, false, false},
        Row{"42703", Errc::schema_missing, false, false},
        Row{"08006", Errc::connection_lost, true, false},
        Row{"57P01", Errc::connection_lost, true, false},
        Row{"57P02", Errc::connection_lost, true, false},
        Row{"57P03", Errc::connection_lost, true, false},
        Row{"25P03", Errc::connection_lost, true, false},
        Row{"53300", Errc::connection_lost, true, false}, Row{"53100", Errc::failed, false, false},
        Row{"25P02", Errc::failed, true, false}, Row{"25006", Errc::read_only, false, false},
        Row{"42501", Errc::denied, false, false}, Row{"42P05", Errc::failed, false, false},
        Row{"0A000", Errc::failed, false, false}, Row{"XX000", Errc::failed, false, false},
        Row{"", Errc::failed, false, false}),
    [](const auto& row) {
      return row.param.sqlstate.empty() ? "none" : std::string{row.param.sqlstate};
    });

TEST(PostgresqlError, AStatementTimeoutIsATimeout) {
  EXPECT_EQ(
      postgresql_error(
          {.sqlstate = "57014", .message = "canceling statement due to statement timeout"}, "claim")
          .code(),
      Errc::timeout);
}

TEST(PostgresqlError, HoldsNoPayloadFromTheDetail) {
  for (const auto* sqlstate : {"23514", "23505", "23502", "22P02"}) {
    const auto error = postgresql_error({.sqlstate = sqlstate,
                                         .message = "refused",
                                         .detail = "Failing row contains (..., {\"card\": 4111})."},
                                        "enqueue");
    EXPECT_STREQ(error.what(), "enqueue: refused") << sqlstate;
  }
}

TEST(PostgresqlError, KeepsTheDetailOfADeadlockAndTheHint) {
  const auto error = postgresql_error({.sqlstate = "40P01",
                                       .message = "deadlock detected",
                                       .detail = "Process 1 waits for 2.",
                                       .hint = "See the log."},
                                      "finish");
  EXPECT_STREQ(error.what(),
               "finish: deadlock detected (Process 1 waits for 2.) Hint: See the log.");
}

TEST(PostgresqlError, SaysWhatToDoAboutMissingTables) {
  EXPECT_NE(std::string{translated("42P01").what()}.find("run `tq init`"), std::string::npos);
}

TEST(PostgresqlError, OutsideAStatementTheMessageBeginsWithTheServersWords) {
  EXPECT_STREQ(postgresql_error({.sqlstate = "XX000", .message = "odd"}, {}).what(), "odd");
}

}  // namespace
}  // namespace tq::servers
