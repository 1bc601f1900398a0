// The tables that turn the numbers and SQLSTATEs of SQL Server into tq::Error.
#include <gtest/gtest.h>

#include "servers/sqlserver.hpp"

namespace tq::servers {
namespace {

Error translated(int number, std::string_view sqlstate = "42000",
                 std::string_view message = "what the server says") {
  return sqlserver_error({.number = number, .sqlstate = sqlstate, .message = message}, "claim");
}

struct Row {
  int number;
  std::string_view sqlstate;
  Errc code;
  bool transaction_lost;
  bool retryable;
};

class SqlserverErrorTable : public testing::TestWithParam<Row> {};

TEST_P(SqlserverErrorTable, GivesCodeAndConsequences) {
  const auto error = translated(GetParam().number, GetParam().sqlstate);
  EXPECT_EQ(error.code(), GetParam().code) << name(error.code());
  EXPECT_EQ(error.transaction_lost(), GetParam().transaction_lost);
  EXPECT_EQ(error.retryable(), GetParam().retryable);
  EXPECT_EQ(error.vendor_code(), GetParam().number);
  EXPECT_EQ(error.sqlstate(), GetParam().sqlstate);
  EXPECT_EQ(error.statement(), "claim");
  EXPECT_FALSE(error.outcome_unknown());
}

INSTANTIATE_TEST_SUITE_P(Sqlserver, SqlserverErrorTable,
                         testing::Values(Row{1205, "40001", Errc::deadlock, true, true},
                                         Row{3960, "42000", Errc::serialization, true, true},
                                         Row{3961, "42000", Errc::serialization, true, true},
                                         Row{99999, "40003", Errc::serialization, true, true},
                                         Row{1222, "HYT00", Errc::busy, false, true},
                                         Row{601, "42000", Errc::busy, false, true},
                                         Row{1204, "42000", Errc::busy, false, true},
                                         Row{8645, "42000", Errc::busy, false, true},
                                         Row{51222, "42000", Errc::busy, false, true},
                                         Row{2601, "23000", Errc::duplicate, false, false},
                                         Row{2627, "23000", Errc::duplicate, false, false},
                                         Row{2714, "42S01", Errc::duplicate, false, false},
                                         Row{1913, "42S11", Errc::duplicate, false, false},
                                         Row{547, "23000", Errc::constraint, false, false},
                                         Row{515, "23000", Errc::constraint, false, false},
                                         Row{2628, "22001", Errc::constraint, false, false},
                                         Row{8152, "22001", Errc::constraint, false, false},
                                         Row{8115, "22003", Errc::constraint, false, false},
                                         Row{245, "22018", Errc::constraint, false, false},
                                         Row{13608, "42000", Errc::constraint, false, false},
                                         Row{13609, "42000", Errc::constraint, false, false},
                                         Row{99999, "22008", Errc::constraint, false, false},
                                         Row{207, "42S22", Errc::schema_missing, false, false},
                                         Row{208, "42S02", Errc::schema_missing, false, false},
                                         Row{308, "42000", Errc::schema_missing, false, false},
                                         Row{8622, "42000", Errc::schema_missing, false, false},
                                         Row{4060, "42000", Errc::schema_missing, false, false},
                                         Row{1934, "42000", Errc::invalid_argument, false, false},
                                         Row{3952, "42000", Errc::invalid_argument, false, false},
                                         Row{229, "42000", Errc::denied, false, false},
                                         Row{230, "42000", Errc::denied, false, false},
                                         Row{18456, "28000", Errc::denied, false, false},
                                         Row{3906, "25000", Errc::read_only, false, false},
                                         Row{978, "42000", Errc::read_only, false, false},
                                         Row{3930, "42000", Errc::failed, true, false},
                                         Row{3998, "42000", Errc::failed, true, false},
                                         Row{3903, "25000", Errc::failed, true, false},
                                         Row{3621, "01000", Errc::failed, false, false},
                                         Row{9002, "42000", Errc::failed, false, false},
                                         Row{701, "42000", Errc::failed, false, false},
                                         Row{99999, "42000", Errc::failed, false, false},
                                         Row{10054, "08S01", Errc::connection_lost, true, false},
                                         Row{10060, "08001", Errc::connection_lost, true, false},
                                         Row{596, "HY000", Errc::connection_lost, true, false},
                                         Row{0, "08S01", Errc::connection_lost, true, false},
                                         Row{20006, "08S01", Errc::connection_lost, true, false},
                                         Row{20003, "HYT00", Errc::timeout, false, false},
                                         Row{0, "HYT00", Errc::timeout, false, false},
                                         Row{0, "HY008", Errc::cancelled, false, false}),
                         [](const auto& row) {
                           return std::to_string(row.param.number) + "_" +
                                  std::string{row.param.sqlstate};
                         });

TEST(SqlserverErrorMessage, NamesTheIndexAndNotTheKey) {
  const auto error = translated(
      2601, "23000",
      "Cannot insert duplicate key row in object 'dbo.tq_job' with unique index 'tq_job_unique'. "
      "The duplicate key value is (mail, secret).");
  const std::string message = error.what();
  EXPECT_NE(message.find("'tq_job_unique'"), std::string::npos);
  EXPECT_EQ(message.find("secret"), std::string::npos);
}

TEST(SqlserverErrorMessage, LeavesOutWhatMayQuoteAValue) {
  for (const int number : {245, 2628, 8114, 8152, 13608, 13609}) {
    const std::string message = translated(number, "22001", "Truncated value: 'secret'.").what();
    EXPECT_EQ(message.find("secret"), std::string::npos) << number;
    EXPECT_NE(message.find(std::to_string(number)), std::string::npos);
  }
  EXPECT_EQ(std::string{translated(7, "23000", "secret").what()}.find("secret"), std::string::npos);
}

TEST(SqlserverErrorMessage, SaysWhatToDo) {
  EXPECT_NE(std::string{translated(208).what()}.find("tq init"), std::string::npos);
  EXPECT_NE(std::string{translated(1934).what()}.find("QUOTED_IDENTIFIER ON"), std::string::npos);
  EXPECT_NE(std::string{translated(8622).what()}.find("tq doctor"), std::string::npos);
}

TEST(SqlserverNotConnected, SaysWhereToLook) {
  const auto error =
      sqlserver_not_connected({.number = 18456, .sqlstate = "28000", .message = "Login failed."});
  EXPECT_EQ(error.code(), Errc::connection_lost);
  EXPECT_EQ(error.vendor_code(), 18456);
  EXPECT_NE(std::string{error.what()}.find("user and password"), std::string::npos);
}

}  // namespace
}  // namespace tq::servers
