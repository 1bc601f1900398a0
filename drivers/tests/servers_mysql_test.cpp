// The tables that turn the numbers and SQLSTATEs of MySQL and MariaDB into tq::Error.
#include <gtest/gtest.h>

#include "servers/mysql.hpp"

namespace tq::servers {
namespace {

Error translated(int number, std::string_view sqlstate = "HY000") {
  return mysql_error({.number = number, .sqlstate = sqlstate, .message = "what the server says"},
                     "claim");
}

struct Row {
  int number;
  std::string_view sqlstate;
  Errc code;
  bool transaction_lost;
  bool retryable;
};

class MysqlErrorTable : public testing::TestWithParam<Row> {};

TEST_P(MysqlErrorTable, GivesCodeAndConsequences) {
  const auto error = translated(GetParam().number, GetParam().sqlstate);
  EXPECT_EQ(error.code(), GetParam().code) << name(error.code());
  EXPECT_EQ(error.transaction_lost(), GetParam().transaction_lost);
  EXPECT_EQ(error.retryable(), GetParam().retryable);
  EXPECT_EQ(error.vendor_code(), GetParam().number);
  EXPECT_EQ(error.sqlstate(), GetParam().sqlstate);
  EXPECT_EQ(error.statement(), "claim");
  EXPECT_FALSE(error.outcome_unknown());
}

INSTANTIATE_TEST_SUITE_P(Mysql, MysqlErrorTable,
                         testing::Values(Row{1213, "40001", Errc::deadlock, true, true},
                                         Row{1614, "XA102", Errc::deadlock, true, true},
                                         Row{1205, "HY000", Errc::busy, false, true},
                                         Row{3572, "HY000", Errc::busy, false, true},
                                         Row{1206, "HY000", Errc::failed, true, false},
                                         Row{1020, "HY000", Errc::serialization, false, true},
                                         Row{1412, "HY000", Errc::serialization, false, true},
                                         Row{1243, "HY000", Errc::serialization, false, true},
                                         Row{1615, "HY000", Errc::serialization, false, true},
                                         Row{3101, "40000", Errc::serialization, true, true},
                                         Row{9999, "40001", Errc::serialization, false, true},
                                         Row{1062, "23000", Errc::duplicate, false, false},
                                         Row{1586, "23000", Errc::duplicate, false, false},
                                         Row{1022, "23000", Errc::duplicate, false, false},
                                         Row{1048, "23000", Errc::constraint, false, false},
                                         Row{1364, "HY000", Errc::constraint, false, false},
                                         Row{1366, "HY000", Errc::constraint, false, false},
                                         Row{1406, "22001", Errc::constraint, false, false},
                                         Row{3140, "22032", Errc::constraint, false, false},
                                         Row{3144, "22032", Errc::constraint, false, false},
                                         Row{3819, "HY000", Errc::constraint, false, false},
                                         Row{4025, "23000", Errc::constraint, false, false},
                                         Row{1452, "23000", Errc::constraint, false, false},
                                         Row{1049, "42000", Errc::schema_missing, false, false},
                                         Row{1054, "42S22", Errc::schema_missing, false, false},
                                         Row{1146, "42S02", Errc::schema_missing, false, false},
                                         Row{1317, "70100", Errc::cancelled, false, false},
                                         Row{1969, "70100", Errc::timeout, false, false},
                                         Row{3024, "HY000", Errc::timeout, false, false},
                                         Row{1040, "08004", Errc::connection_lost, true, false},
                                         Row{1047, "08S01", Errc::connection_lost, true, false},
                                         Row{1053, "08S01", Errc::connection_lost, true, false},
                                         Row{1203, "42000", Errc::connection_lost, true, false},
                                         Row{1927, "70100", Errc::connection_lost, true, false},
                                         Row{3169, "HY000", Errc::connection_lost, true, false},
                                         Row{4031, "HY000", Errc::connection_lost, true, false},
                                         Row{2006, "HY000", Errc::connection_lost, true, false},
                                         Row{2013, "HY000", Errc::connection_lost, true, false},
                                         Row{2026, "HY000", Errc::connection_lost, true, false},
                                         Row{2055, "HY000", Errc::connection_lost, true, false},
                                         Row{2014, "HY000", Errc::invalid_argument, false, false},
                                         Row{2020, "HY000", Errc::failed, false, false},
                                         Row{2036, "HY000", Errc::failed, false, false},
                                         Row{1153, "08S01", Errc::failed, false, false},
                                         Row{1290, "HY000", Errc::read_only, false, false},
                                         Row{1461, "42000", Errc::failed, false, false},
                                         Row{1792, "25006", Errc::read_only, false, false},
                                         Row{1836, "HY000", Errc::read_only, false, false},
                                         Row{1142, "42000", Errc::denied, false, false},
                                         Row{1064, "42000", Errc::failed, false, false},
                                         Row{0, "", Errc::failed, false, false}),
                         [](const auto& row) {
                           return std::to_string(row.param.number) + "_" +
                                  (row.param.sqlstate.empty() ? "none"
                                                              : std::string{row.param.sqlstate});
                         });

TEST(MysqlError, HoldsNoValueThatTheServerQuotes) {
  for (const auto& [number, sqlstate] : {std::pair{1366, "HY000"}, std::pair{1366, "22007"},
                                         std::pair{1292, "22007"}, std::pair{3140, "22032"}}) {
    const auto error = mysql_error({.number = number,
                                    .sqlstate = sqlstate,
                                    .message = "Incorrect value: '{\"card\": 4111}' for column"},
                                   "enqueue");
    EXPECT_EQ(std::string{error.what()}.find("4111"), std::string::npos) << error.what();
    EXPECT_NE(std::string{error.what()}.find(std::to_string(number)), std::string::npos);
  }
}

TEST(MysqlError, ADuplicateNamesTheIndexAndNotTheKey) {
  const auto message_of = [](std::string_view message) {
    return std::string{
        mysql_error({.number = 1062, .sqlstate = "23000", .message = message}, "enqueue").what()};
  };
  EXPECT_EQ(message_of("Duplicate entry 'card 4111 for key x' for key 'tq_job.unique'"),
            "enqueue: duplicate entry for key 'tq_job.unique'");
  EXPECT_EQ(message_of("Doppelter Eintrag '4111'"), "enqueue: duplicate entry");
}

TEST(MysqlError, SaysWhatToDo) {
  const auto advice = [](int number) { return std::string{translated(number).what()}; };
  EXPECT_NE(advice(1146).find("run `tq init`"), std::string::npos);
  EXPECT_NE(advice(1153).find("max_allowed_packet"), std::string::npos);
  EXPECT_NE(advice(1290).find("primary"), std::string::npos);
  EXPECT_NE(advice(2014).find("read it to its end"), std::string::npos);
}

TEST(MysqlError, OutsideAStatementTheMessageBeginsWithTheServersWords) {
  EXPECT_STREQ(mysql_error({.number = 1, .message = "odd"}, {}).what(), "odd");
}

TEST(MysqlError, WhateverPreventsAConnectionIsLost) {
  for (const int number : {1040, 1045, 1049, 2003, 2005, 2026, 2059, 2061, 0}) {
    const auto error = mysql_not_connected({.number = number, .message = "no"});
    EXPECT_EQ(error.code(), Errc::connection_lost) << number;
    EXPECT_EQ(error.vendor_code(), number);
  }
}

}  // namespace
}  // namespace tq::servers
