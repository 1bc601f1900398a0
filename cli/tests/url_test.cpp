#include "url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database.hpp"
#include "tq/error.hpp"
#include "tq/sqlite.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

using testing::HasSubstr, testing::Not;

TEST(ParseUrl, SplitsDialectDriverAndRest) {
  const Url url = parse_url("PostgreSQL+ODBC://me@host/db?sslmode=require");
  EXPECT_EQ(url.dialect, "postgresql");
  EXPECT_EQ(url.driver, "odbc");
  EXPECT_EQ(url.text(), "postgresql://me@host/db?sslmode=require");
  EXPECT_EQ(parse_url("postgres://host/db").text(), "postgresql://host/db");
  EXPECT_EQ(parse_url("mariadb+odbc://host/db").text(), "mysql://host/db");
  EXPECT_EQ(parse_url("mariadb+odbc://host/db").driver, "odbc");
  EXPECT_EQ(parse_url("sqlite:////tmp/a.db").text(), "sqlite:////tmp/a.db");
}

TEST(ParseUrl, TakesTheSchemaAwayFromTheClient) {
  for (const char* text :
       {"sqlite:///a.db?tq_schema=jobs&mode=rw", "sqlite:///a.db?mode=rw&tq_schema=jobs"}) {
    const Url url = parse_url(text);
    EXPECT_EQ(url.schema, "jobs");
    EXPECT_EQ(url.text(), "sqlite:///a.db?mode=rw");
  }
  EXPECT_EQ(parse_url("sqlite:///a.db?tq_schema=jobs").text(), "sqlite:///a.db");
  EXPECT_EQ(parse_url("sqlite:///a.db?tq_schemas=jobs").schema, "");
  EXPECT_THROW(static_cast<void>(parse_url("sqlite:///a.db?tq_schema=")), UsageError);
}

TEST(ParseUrl, RefusesWhatIsNoUrlWithoutRepeatingAPassword) {
  try {
    static_cast<void>(parse_url("host=db password='very secret' user=me"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
  for (const auto* typo :
       {"postgres:/app:secret@db/shop", "app:secret@db/shop", "//app:secret@db/x"}) {
    try {
      static_cast<void>(parse_url(typo));
      FAIL() << typo;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
    }
  }
  EXPECT_THROW(static_cast<void>(parse_url("jobs.db")), UsageError);
  EXPECT_THROW(static_cast<void>(parse_url("://x")), UsageError);
}

TEST(Redacted, HidesPasswordsWhereverTheyStand) {
  EXPECT_EQ(redacted("postgresql://me:secret@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(redacted("postgresql://:secret@host/db"), "postgresql://:***@host/db");
  EXPECT_EQ(redacted("postgresql://me:se@cr/et@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(redacted("postgresql://host/db?PassWord=secret&user=me"),
            "postgresql://host/db?PassWord=***&user=me");
  EXPECT_EQ(redacted("postgresql://me:one@host/db?sslpassword=two"),
            "postgresql://me:***@host/db?sslpassword=***");
  EXPECT_EQ(redacted("odbc://?Uid=me;Pwd={a;b};Database=x"), "odbc://?Uid=me;Pwd=***;Database=x");
  EXPECT_EQ(redacted("mysql://?odbc_connect=UID%3Dme%3BPwd%3D%7Ba%3Bb%7D%3BDatabase%3Dx&dsn=y"),
            "mysql://?odbc_connect=UID%3Dme%3BPwd%3D***&dsn=y");
  EXPECT_EQ(redacted("host=db password='very secret' user=me"), "host=db password=*** user=me");
}

TEST(Redacted, LeavesUrlsWithoutAPasswordAlone) {
  for (const char* text : {"sqlite:///a:b@c.db", "postgresql://me@host:5432/db", "jobs.db", "",
                           "postgresql:///db?host=/run/pg", "postgresql://host:5432/db"}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(WithPassword, PutsItInEncodedUnlessThereIsOne) {
  EXPECT_EQ(with_password("postgresql://me@host/db", "a:b@c/d e%"),
            "postgresql://me:a%3Ab%40c%2Fd%20e%25@host/db");
  EXPECT_EQ(with_password("postgresql://host/db?x=y", "pw"), "postgresql://:pw@host/db?x=y");
  EXPECT_EQ(with_password("postgresql:///db", "pw"), "postgresql://:pw@/db");
  EXPECT_EQ(with_password("postgresql://me:own@host/db", "pw"), "postgresql://me:own@host/db");
  EXPECT_EQ(with_password("postgresql://me@host/db", ""), "postgresql://me@host/db");
}

TEST(WithParameter, AddsOneUnlessItIsThere) {
  EXPECT_EQ(with_parameter("sqlite:///a.db", "mode", "rw"), "sqlite:///a.db?mode=rw");
  EXPECT_EQ(with_parameter("sqlite:///a.db?x=1", "mode", "rw"), "sqlite:///a.db?x=1&mode=rw");
  EXPECT_EQ(with_parameter("sqlite:///a.db?mode=ro", "mode", "rw"), "sqlite:///a.db?mode=ro");
}

TEST(WithoutPassword, CleansMessagesOfOthers) {
  const std::string url = "postgresql://me:s%20ecret@host/db";
  EXPECT_EQ(without_password("cannot open " + url, url), "cannot open postgresql://me:***@host/db");
  EXPECT_EQ(without_password("bad password s ecret", url), "bad password ***");
  EXPECT_EQ(without_password("role \"me\" is unknown", url), "role \"me\" is unknown");
}

BuiltIn only_sqlite() {
  return {.dialects = {{.name = "sqlite",
                        .default_driver = "sqlite3",
                        .drivers = {"sqlite3", "soci"},
                        .example = "sqlite:///jobs.db",
                        .make = &sqlite}},
          .drivers = {{.name = "sqlite3",
                       .version = "SQLite",
                       .open = [](const OpenRequest& request) -> std::unique_ptr<Connection> {
                         throw Error{Errc::connection_lost, request.url + " " + request.password};
                       }}}};
}

std::string refusal(const std::string& url) {
  try {
    static_cast<void>(find_database(only_sqlite(), url, "", Access::existing));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FindDatabase, GivesTheDriverTheUrlWithoutOurParts) {
  const Database database =
      find_database(only_sqlite(), "sqlite+sqlite3:///a.db?tq_schema=main", "pw", Access::existing);
  EXPECT_EQ(database.shown, "sqlite+sqlite3:///a.db?tq_schema=main");
  try {
    static_cast<void>(database.connect());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "sqlite:///a.db pw");
  }
}

TEST(FindDatabase, ListsWhatIsBuiltIn) {
  EXPECT_THAT(refusal("mongodb://me:secret@host/db"), HasSubstr("sqlite:///jobs.db"));
  EXPECT_THAT(refusal("mongodb://me:secret@host/db"), Not(HasSubstr("secret")));
  EXPECT_THAT(refusal("sqlite+soci:///a.db"), HasSubstr("'soci' is not built in"));
  EXPECT_THAT(refusal("sqlite+soci:///a.db"), HasSubstr("sqlite+sqlite3://"));
  EXPECT_THAT(refusal("sqlite+libpq:///a.db"), HasSubstr("cannot serve sqlite"));
}

TEST(FindDatabase, RefusesASchemaNameThatIsNotAllowed) {
  EXPECT_THROW(
      static_cast<void>(find_database(only_sqlite(), "sqlite:///a.db?tq_schema=a%3Bb", "", {})),
      Error);
}

}  // namespace
}  // namespace tq::cli
