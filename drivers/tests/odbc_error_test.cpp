// What the driver manager and the ODBC drivers report, as they were seen to report it.
#include <gtest/gtest.h>

#include "error.hpp"

namespace tq::odbc {
namespace {

const Quirks& psqlodbc = quirks_of("psqlodbcw.so");
const Quirks& mariadb = quirks_of("libmaodbc.so");
const Quirks& libsqora = quirks_of("libsqora.so.23.1");
const Quirks& sqliteodbc = quirks_of("sqlite3odbc.so");

Error postgresql(std::string_view sqlstate, std::string_view text) {
  return translate(servers::postgresql(), psqlodbc, failure_of(sqlstate, 1, text), "claim");
}
Error mysql(std::string_view sqlstate, int number, std::string_view text) {
  return translate(servers::mysql(), mariadb, failure_of(sqlstate, number, text), "claim");
}
Error sqlite(int number, std::string_view text) {
  return translate(servers::sqlite(), sqliteodbc, failure_of("HY000", number, text), "claim");
}

Error oracle(std::string_view sqlstate, int number, std::string_view text) {
  return translate(servers::oracle(), libsqora, failure_of(sqlstate, number, text), "claim");
}

TEST(OdbcFailure, HasTheServersWordsAlone) {
  const auto failure = failure_of("23505", 1,
                                  "ERROR: duplicate key value violates unique constraint \"a\"\n"
                                  "DETAIL: Key (n)=(1) already exists.;\n"
                                  "Error while executing the query");
  EXPECT_EQ(failure.message, "duplicate key value violates unique constraint \"a\"");
  EXPECT_EQ(failure.detail, "Key (n)=(1) already exists.");
  EXPECT_EQ(failure_of("42P01", 1, "FEHLER: x y;\nError while preparing parameters").message,
            "x y");
  EXPECT_EQ(failure_of("57P01", 35, "FATAL: bye;\nThe connection has been lost").message, "bye");
  EXPECT_EQ(failure_of("23000", 1062, "[ma-3.1.15][10.11.18-MariaDB]Duplicate").message,
            "Duplicate");
  EXPECT_EQ(failure_of("HY000", 5, "[SQLite]database is locked (5)").message, "database is locked");
  EXPECT_EQ(failure_of("IM002", 0, "[unixODBC][Driver Manager]Data source: none").message,
            "Data source: none");
  EXPECT_EQ(failure_of("08001", 101, "no route\n\tIs it up?\n").message, "no route Is it up?");
}

TEST(OdbcError, OfPsqlodbcIsThatOfTheSqlstate) {
  const auto error = postgresql("23505",
                                "ERROR: duplicate key\nDETAIL: Key (n)=(1) secret.;\nError "
                                "while executing the query");
  EXPECT_EQ(error.code(), Errc::duplicate);
  EXPECT_EQ(error.sqlstate(), "23505");
  EXPECT_EQ(error.vendor_code(), 0);  // PostgreSQL has no numbers; 1 is psqlodbc's own
  EXPECT_EQ(error.statement(), "claim");
  EXPECT_STREQ(error.what(), "claim: duplicate key");
  EXPECT_EQ(postgresql("40P01", "ERROR: deadlock detected").code(), Errc::deadlock);
  EXPECT_EQ(postgresql("55P03", "ERROR: could not obtain lock").code(), Errc::busy);
  EXPECT_EQ(postgresql("57014", "ERROR: canceling statement due to user request").code(),
            Errc::cancelled);
  EXPECT_EQ(postgresql("57P01", "FATAL: terminating connection").code(), Errc::connection_lost);
  EXPECT_EQ(postgresql("08S01", "SQLExecDirect unable due to the connection lost").code(),
            Errc::connection_lost);
  EXPECT_EQ(postgresql("42P01", "ERROR: relation does not exist").code(), Errc::schema_missing);
}

TEST(OdbcError, OfMariadbIsThatOfTheNumber) {
  EXPECT_EQ(mysql("HY000", 1205, "[ma-3.1.15]Lock wait timeout exceeded").code(), Errc::busy);
  EXPECT_EQ(mysql("40001", 1213, "[ma-3.1.15]Deadlock found").code(), Errc::deadlock);
  EXPECT_EQ(mysql("23000", 1062, "[ma-3.1.15]Duplicate entry 'k' for key 'i'").code(),
            Errc::duplicate);
  EXPECT_STREQ(mysql("23000", 1062, "[ma-3.1.15]Duplicate entry 'k' for key 'i'").what(),
               "claim: duplicate entry for key 'i'");
  EXPECT_EQ(mysql("HY000", 4025, "[ma-3.1.15]CONSTRAINT failed").code(), Errc::constraint);
  EXPECT_EQ(mysql("08S01", 2013, "[ma-3.1.15]Lost connection").code(), Errc::connection_lost);
  EXPECT_EQ(mysql("HY001", 2006, "[ma-3.1.15]Server has gone away").code(), Errc::connection_lost);
  EXPECT_EQ(mysql("70100", 1317, "[ma-3.1.15]Query execution was interrupted").code(),
            Errc::cancelled);
  EXPECT_EQ(mysql("HY000", 0, "[ma-3.1.15]something of its own").code(), Errc::failed);
}

TEST(OdbcError, OfOraclesOwnDriverIsThatOfTheNumber) {
  const auto missing =
      oracle("42S02", 942, "[Oracle][ODBC][Ora]ORA-00942: table or view does not exist\n");
  EXPECT_EQ(missing.code(), Errc::schema_missing);
  EXPECT_EQ(missing.vendor_code(), 942);
  EXPECT_EQ(missing.sqlstate(), "42S02");
  EXPECT_TRUE(std::string{missing.what()}.starts_with(
      "claim: ORA-00942: table or view does not exist; run `tq init`"))
      << missing.what();
  // A block says first where it was.
  const auto busy =
      oracle("HY000", 6512, "[Oracle][ODBC][Ora]ORA-06512: at line 7\nORA-00054: resource busy\n");
  EXPECT_EQ(busy.code(), Errc::busy);
  EXPECT_EQ(oracle("HY000", 3113, "[Oracle][ODBC][Ora]ORA-03113: end-of-file").code(),
            Errc::connection_lost);
  EXPECT_EQ(oracle("HY008", 1013, "[Oracle][ODBC][Ora]ORA-01013: user requested cancel").code(),
            Errc::cancelled);
  // Its own, without a number.
  EXPECT_EQ(oracle("HY004", 0, "[Oracle][ODBC]Invalid SQL data type <-25>.").code(), Errc::failed);
}

TEST(OdbcError, OfLibsqliteodbcIsThatOfTheNumberAndTheWords) {
  EXPECT_EQ(sqlite(5, "[SQLite]database is locked (5)").code(), Errc::busy);
  EXPECT_EQ(sqlite(9, "[SQLite]interrupted (9)").code(), Errc::cancelled);
  EXPECT_EQ(sqlite(19, "[SQLite]UNIQUE constraint failed: tq_job.job_id (19)").code(),
            Errc::duplicate);
  EXPECT_EQ(sqlite(19, "[SQLite]CHECK constraint failed: n > 0 (19)").code(), Errc::constraint);
  EXPECT_EQ(sqlite(1, "[SQLite]no such table: tq_job (1)").code(), Errc::schema_missing);
  EXPECT_EQ(sqlite(-1, "[SQLite]only one SQL statement allowed").code(), Errc::failed);
}

TEST(OdbcError, OfTheDriverManagerIsOurs) {
  const auto manager = [](std::string_view sqlstate) {
    return translate(servers::mysql(), mariadb,
                     failure_of(sqlstate, 0, "[unixODBC][Driver Manager]Words"), {});
  };
  EXPECT_EQ(manager("08003").code(), Errc::connection_lost);
  EXPECT_TRUE(manager("08003").transaction_lost());
  EXPECT_EQ(manager("HY008").code(), Errc::cancelled);
  EXPECT_EQ(manager("HYT00").code(), Errc::timeout);
  EXPECT_EQ(manager("HYT01").code(), Errc::timeout);
  EXPECT_EQ(manager("24000").code(), Errc::invalid_argument);
  EXPECT_EQ(manager("HY010").code(), Errc::invalid_argument);
  EXPECT_EQ(manager("IM001").code(), Errc::failed);
  EXPECT_EQ(manager("HY000").code(), Errc::failed);
  EXPECT_STREQ(manager("HY000").what(), "Words");
}

TEST(OdbcError, OfAnOpeningSaysWhatToDo) {
  const auto refused = failure_of("08001", 101, "connection to server failed: refused");
  EXPECT_EQ(not_connected(servers::postgresql(), refused).code(), Errc::connection_lost);
  const auto denied = failure_of("28000", 1045, "[ma-3.1.15]Access denied for user 'u'@'h'");
  EXPECT_NE(std::string{not_connected(servers::mysql(), denied).what()}.find("user, password"),
            std::string::npos);
  const auto login = failure_of("28000", 18456, "[Microsoft][SQL Server]Login failed for 'u'.");
  EXPECT_NE(std::string{not_connected(servers::sqlserver(), login).what()}.find("server's log"),
            std::string::npos);
  const auto service = failure_of("HY000", 12514, "[Oracle][ODBC][Ora]ORA-12514: TNS:listener");
  EXPECT_EQ(not_connected(servers::oracle(), service).code(), Errc::connection_lost);
  EXPECT_NE(std::string{not_connected(servers::oracle(), service).what()}.find("service name"),
            std::string::npos);
  EXPECT_EQ(
      not_connected(servers::sqlite(), failure_of("HY000", 14, "[SQLite]connect failed")).code(),
      Errc::connection_lost);
  for (const auto& missing :
       {failure_of("01000", 0, "[unixODBC][Driver Manager]Can't open lib 'x' : file not found"),
        failure_of("IM002", 0, "[unixODBC][Driver Manager]Data source name not found")}) {
    const auto error = not_connected(servers::postgresql(), missing);
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_NE(std::string{error.what()}.find("odbcinst -q -d"), std::string::npos);
  }
}

TEST(OdbcQuirks, AreTheStandardsForAnOdbcDriverThatIsNotKnown) {
  EXPECT_EQ(quirks_of("psqlodbca.so").text, Text::utf8);
  EXPECT_EQ(quirks_of("libmsodbcsql-18.5.so.1.1").text, Text::utf16);
  EXPECT_EQ(quirks_of("libmsodbcsql-18.5.so.1.1").cancel, Cancel::statement);
  EXPECT_EQ(quirks_of("").text, Text::utf16);
}

// Oracle's names itself as on Windows, on Linux too.
TEST(OdbcQuirks, OfOraclesAreKnownByEitherName) {
  for (const auto* library : {"SQORA32.DLL", "libsqora.so.19.1"}) {
    const auto& quirks = quirks_of(library);
    EXPECT_EQ(quirks.text, Text::utf16) << library;
    EXPECT_EQ(quirks.integers, Integers::digits) << library;
    EXPECT_EQ(quirks.cancel, Cancel::statement) << library;
    EXPECT_TRUE(quirks.numbers_are_the_servers) << library;
    EXPECT_TRUE(quirks.converts_in_place) << library;
    // A name has up to 512 bytes. The server takes 4,000, and a byte may become four on the way.
    EXPECT_GE(quirks.short_bytes, 512U) << library;
    EXPECT_LE(quirks.short_bytes * 4, 4000U) << library;
  }
  EXPECT_EQ(quirks_of("psqlodbcw.so").integers, Integers::bigint);
  EXPECT_EQ(quirks_of("psqlodbcw.so").short_bytes, 0U);
}

}  // namespace
}  // namespace tq::odbc
