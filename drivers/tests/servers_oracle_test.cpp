// The table that turns the numbers of Oracle into tq::Error.
#include <gtest/gtest.h>

#include "servers/oracle.hpp"

namespace tq::servers {
namespace {

Error translated(int number, std::string_view message = "what the server says") {
  return oracle_error({.number = number, .sqlstate = "HY000", .message = message}, "claim");
}

struct Row {
  int number;
  Errc code;
  bool transaction_lost;
  bool retryable;
};

class OracleErrorTable : public testing::TestWithParam<Row> {};

TEST_P(OracleErrorTable, GivesCodeAndConsequences) {
  const auto error = translated(GetParam().number);
  EXPECT_EQ(error.code(), GetParam().code) << name(error.code());
  EXPECT_EQ(error.transaction_lost(), GetParam().transaction_lost);
  EXPECT_EQ(error.retryable(), GetParam().retryable);
  EXPECT_EQ(error.vendor_code(), GetParam().number);
  EXPECT_EQ(error.sqlstate(), "HY000");
  EXPECT_EQ(error.statement(), "claim");
  EXPECT_FALSE(error.outcome_unknown());
}

INSTANTIATE_TEST_SUITE_P(
    Oracle, OracleErrorTable,
    testing::Values(
        Row{1, Errc::duplicate, false, false}, Row{955, Errc::duplicate, false, false},
        // The statement is undone, the transaction stays.
        Row{60, Errc::deadlock, false, true}, Row{4020, Errc::deadlock, false, true},
        Row{54, Errc::busy, false, true}, Row{30006, Errc::busy, false, true},
        Row{51, Errc::busy, false, true}, Row{2049, Errc::busy, false, true},
        Row{4021, Errc::busy, false, true}, Row{14450, Errc::failed, false, false},
        Row{8177, Errc::serialization, false, true}, Row{1555, Errc::serialization, false, true},
        Row{1410, Errc::serialization, false, true}, Row{1466, Errc::serialization, false, true},
        Row{4061, Errc::serialization, false, true}, Row{4065, Errc::serialization, false, true},
        Row{4068, Errc::serialization, false, true}, Row{8103, Errc::serialization, false, true},
        Row{8176, Errc::serialization, false, true}, Row{25402, Errc::serialization, true, true},
        Row{1400, Errc::constraint, false, false}, Row{1407, Errc::constraint, false, false},
        Row{1438, Errc::constraint, false, false}, Row{1722, Errc::constraint, false, false},
        Row{2091, Errc::constraint, true, false}, Row{1403, Errc::invalid_argument, false, false},
        Row{2290, Errc::constraint, false, false}, Row{2291, Errc::constraint, false, false},
        Row{2292, Errc::constraint, false, false}, Row{6502, Errc::constraint, false, false},
        Row{12899, Errc::constraint, false, false}, Row{40441, Errc::constraint, false, false},
        Row{40478, Errc::constraint, false, false}, Row{40587, Errc::constraint, false, false},
        Row{904, Errc::schema_missing, false, false}, Row{942, Errc::schema_missing, false, false},
        Row{2289, Errc::schema_missing, false, false}, Row{1017, Errc::denied, false, false},
        Row{1031, Errc::denied, false, false}, Row{1045, Errc::denied, false, false},
        Row{28000, Errc::denied, false, false}, Row{28001, Errc::denied, false, false},
        Row{41900, Errc::denied, false, false}, Row{1456, Errc::read_only, false, false},
        Row{16000, Errc::read_only, false, false}, Row{28194, Errc::read_only, false, false},
        Row{1013, Errc::cancelled, false, false}, Row{40, Errc::timeout, false, false},
        Row{18, Errc::connection_lost, true, false}, Row{20, Errc::connection_lost, true, false},
        Row{28, Errc::connection_lost, true, false}, Row{31, Errc::connection_lost, true, false},
        Row{603, Errc::connection_lost, true, false}, Row{1012, Errc::connection_lost, true, false},
        Row{1033, Errc::connection_lost, true, false},
        Row{1034, Errc::connection_lost, true, false},
        Row{1089, Errc::connection_lost, true, false},
        Row{1092, Errc::connection_lost, true, false},
        Row{2396, Errc::connection_lost, true, false},
        Row{2399, Errc::connection_lost, true, false},
        Row{3113, Errc::connection_lost, true, false},
        Row{3114, Errc::connection_lost, true, false},
        Row{3135, Errc::connection_lost, true, false},
        Row{12154, Errc::connection_lost, true, false},
        Row{12541, Errc::connection_lost, true, false},
        Row{12699, Errc::connection_lost, true, false},
        Row{25408, Errc::connection_lost, true, false}, Row{257, Errc::failed, false, false},
        Row{1000, Errc::failed, false, false}, Row{1461, Errc::failed, false, false},
        Row{1536, Errc::failed, false, false}, Row{1653, Errc::failed, false, false},
        Row{1654, Errc::failed, false, false}, Row{1691, Errc::failed, false, false},
        Row{30036, Errc::failed, false, false}, Row{40462, Errc::failed, false, false},
        Row{933, Errc::failed, false, false}, Row{12700, Errc::failed, false, false},
        Row{20101, Errc::failed, false, false}, Row{0, Errc::failed, false, false}),
    [](const auto& row) { return std::to_string(row.param.number); });

TEST(OracleError, IsWhatABlockOfPlSqlDiedOf) {
  EXPECT_EQ(translated(6512, "ORA-06512: at line 9 ORA-08177: can't serialize").vendor_code(),
            8177);
  EXPECT_EQ(translated(604, "ORA-00604: error occurred ORA-01653: unable to extend").vendor_code(),
            1653);
  const auto missing = translated(
      6550, "ORA-06550: line 5, column 3: PL/SQL: ORA-00942: table or view does not exist");
  EXPECT_EQ(missing.code(), Errc::schema_missing);
  EXPECT_EQ(
      translated(6550, "ORA-06550: line 2: PLS-00201: identifier 'JOBS.TQ_JOB' must be declared")
          .code(),
      Errc::schema_missing);
  EXPECT_EQ(translated(6550, "ORA-06550: line 2: PLS-00103: encountered the symbol").vendor_code(),
            6550);
}

TEST(OracleError, IsToldByTheMessageWhereTheClientHasNoNumber) {
  EXPECT_EQ(translated(0, "ORA-00060: deadlock detected").code(), Errc::deadlock);
  EXPECT_EQ(translated(0, "ORA-").code(), Errc::failed);
}

TEST(OracleError, NamesTheConstraintAndNotTheValue) {
  const auto words = [](int number, std::string_view message) {
    return std::string{translated(number, message).what()};
  };
  EXPECT_EQ(words(1, "ORA-00001: unique constraint (JOBS.TQ_JOB_UNIQUE) violated"),
            "claim: ORA-00001: duplicate entry for JOBS.TQ_JOB_UNIQUE");
  // As version 23 says it.
  EXPECT_EQ(words(1,
                  "ORA-00001: unique constraint (JOBS.TQ_JOB_UNIQUE) violated on table JOBS.TQ_JOB "
                  "columns (UNIQUE_K) ORA-03301: (ORA-00001 details) row with column values "
                  "(UNIQUE_K:'card 4111') already exists"),
            "claim: ORA-00001: duplicate entry for JOBS.TQ_JOB_UNIQUE");
  EXPECT_EQ(words(2290, "ORA-02290: check constraint (JOBS.TQ_JOB_PAYLOAD) violated"),
            "claim: ORA-02290: it violates JOBS.TQ_JOB_PAYLOAD");
  EXPECT_EQ(words(2290, "ORA-02290"), "claim: ORA-02290: it violates a constraint");
}

TEST(OracleError, HoldsNoValueThatTheServerQuotes) {
  for (const int number : {1438, 1722, 6502, 40441, 40478, 40587, 40600}) {
    const std::string words =
        translated(number, "unable to convert string value containing '4111'").what();
    EXPECT_EQ(words.find("4111"), std::string::npos) << words;
    EXPECT_NE(words.find(std::to_string(number)), std::string::npos) << words;
  }
}

TEST(OracleError, SaysWhatToDo) {
  const auto advice = [](int number) { return std::string{translated(number).what()}; };
  EXPECT_NE(advice(942).find("run `tq init`"), std::string::npos);
  EXPECT_NE(advice(942).find("roles.sql"), std::string::npos);
  EXPECT_NE(advice(1403).find("autocommit"), std::string::npos);
  EXPECT_NE(advice(1536).find("QUOTA"), std::string::npos);
  EXPECT_NE(advice(16000).find("primary"), std::string::npos);
}

TEST(OracleError, OutsideAStatementTheMessageBeginsWithTheServersWords) {
  EXPECT_STREQ(oracle_error({.number = 933, .message = "odd"}, {}).what(), "odd");
}

TEST(OracleError, WhateverPreventsAConnectionIsLost) {
  for (const int number : {18, 1017, 1045, 12154, 12514, 28000, 0}) {
    const auto error = oracle_not_connected({.number = number, .message = "no"});
    EXPECT_EQ(error.code(), Errc::connection_lost) << number;
    EXPECT_EQ(error.vendor_code(), number);
  }
}

}  // namespace
}  // namespace tq::servers
