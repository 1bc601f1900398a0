// Errors that libpq alone makes, and what they do to prepared statements.
#include <gtest/gtest.h>

#include "error.hpp"
#include "prepared.hpp"
#include "servers/postgresql.hpp"

namespace tq::libpq {
namespace {

Error refused(std::string_view sqlstate) {
  return servers::postgresql_error({.sqlstate = sqlstate, .message = "refused"}, "claim");
}

TEST(LibpqError, WithoutAConnectionItIsLost) {
  EXPECT_EQ(translate(nullptr, nullptr, "claim").code(), Errc::connection_lost);
}

Statement some_statement() { return Statement{"claim", "SELECT 1", {}, {}}; }

TEST(LibpqPrepared, AStatementThatIsGoneIsPreparedAnewUnderAnotherName) {
  for (const auto* sqlstate : {"26000", "0A000"}) {
    PreparedStatements prepared;
    const auto statement = some_statement();
    const auto before = prepared.name(statement);
    prepared.add(statement);
    const auto error = prepared.judge(refused(sqlstate));
    EXPECT_TRUE(error.retryable()) << sqlstate;
    EXPECT_FALSE(prepared.contains(statement));
    EXPECT_NE(prepared.name(statement), before);
  }
}

TEST(LibpqPrepared, OtherErrorsLeaveStatementsPrepared) {
  PreparedStatements prepared;
  const auto statement = some_statement();
  prepared.add(statement);
  EXPECT_EQ(prepared.judge(refused("23505")).code(), Errc::duplicate);
  EXPECT_TRUE(prepared.contains(statement));
}

TEST(LibpqPrepared, TwoConnectionsUseDifferentNames) {
  const auto statement = some_statement();
  EXPECT_NE(PreparedStatements{}.name(statement), PreparedStatements{}.name(statement));
}

}  // namespace
}  // namespace tq::libpq
