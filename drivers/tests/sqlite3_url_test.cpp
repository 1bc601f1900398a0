#include <gtest/gtest.h>

#include "tq/error.hpp"
#include "url.hpp"

namespace tq::sqlite3_driver {
namespace {

TEST(SqliteUrl, ThreeSlashesAreARelativePathFourAnAbsoluteOne) {
  EXPECT_EQ(parse_url("sqlite:///jobs/q.db").path, "jobs/q.db");
  EXPECT_EQ(parse_url("sqlite:////srv/q.db").path, "/srv/q.db");
  EXPECT_EQ(parse_url("sqlite:///:memory:").path, ":memory:");
}

TEST(SqliteUrl, APlainPathIsTakenAsItIs) {
  EXPECT_EQ(parse_url("/srv/100%.db?mode=ro").path, "/srv/100%.db?mode=ro");
  EXPECT_EQ(parse_url("q.db").path, "q.db");
}

TEST(SqliteUrl, PercentSignsAreDecoded) {
  EXPECT_EQ(parse_url("sqlite:////srv/a%20b%3Fc.db").path, "/srv/a b?c.db");
}

TEST(SqliteUrl, DefaultsAreDurableAndPatient) {
  const auto options = parse_url("sqlite:///q.db");
  EXPECT_EQ(options.busy_timeout, std::chrono::seconds{5});
  EXPECT_EQ(options.synchronous, "full");
  EXPECT_EQ(options.journal_mode, "wal");
  EXPECT_FALSE(options.journal_mode_named);
  EXPECT_EQ(options.mode, OpenOptions::Mode::create);
}

TEST(SqliteUrl, ParametersAreRead) {
  const auto options =
      parse_url("sqlite:///q.db?busy_timeout=250&synchronous=normal&journal_mode=delete&mode=rw");
  EXPECT_EQ(options.busy_timeout, std::chrono::milliseconds{250});
  EXPECT_EQ(options.synchronous, "normal");
  EXPECT_EQ(options.journal_mode, "delete");
  EXPECT_TRUE(options.journal_mode_named);
  EXPECT_EQ(options.mode, OpenOptions::Mode::write);
  EXPECT_EQ(parse_url("sqlite:///q.db?mode=ro").mode, OpenOptions::Mode::read);
}

struct Refused {
  std::string url;
  std::string named;
};

class SqliteUrlRefusals : public testing::TestWithParam<Refused> {};

TEST_P(SqliteUrlRefusals, NameWhatIsWrong) {
  try {
    (void)parse_url(GetParam().url);
    FAIL() << GetParam().url << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_NE(std::string{error.what()}.find(GetParam().named), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Urls, SqliteUrlRefusals,
    testing::Values(Refused{"sqlite:///q.db?cache=shared", "cache"},
                    Refused{"sqlite:///q.db?mode", "mode"}, Refused{"sqlite:///q.db?mode=x", "rwc"},
                    Refused{"sqlite:///q.db?busy_timeout=1s", "busy_timeout=1s"},
                    Refused{"sqlite:///q.db?busy_timeout=-1", "busy_timeout=-1"},
                    Refused{"sqlite:///q.db?busy_timeout=", "no value"},
                    Refused{"sqlite:///q.db?synchronous=off", "synchronous=off"},
                    Refused{"sqlite://host/q.db", "host"}, Refused{"sqlite:///", "empty"},
                    Refused{"", "empty"}, Refused{"sqlite:///a%2", "%25"},
                    Refused{"sqlite:///a%zz", "%25"}, Refused{"sqlite:///a%00b", "NUL"},
                    Refused{"postgresql://host/db", "sqlite:///"}));

}  // namespace
}  // namespace tq::sqlite3_driver
