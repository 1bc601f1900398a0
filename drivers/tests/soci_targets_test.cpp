// What SOCI's backends are told for a URL, and what is refused.
#include <gtest/gtest.h>

#include "targets.hpp"
#include "tq/error.hpp"

namespace tq::soci_driver {
namespace {

std::string postgresql_of(const std::string& text) {
  Url url{text};
  EXPECT_EQ(url.take_backend(), "postgresql");
  return postgresql_target(url).text;
}

MysqlTarget mysql_of(const std::string& text) {
  Url url{text};
  EXPECT_EQ(url.take_backend(), "mysql");
  return mysql_target(url);
}

SqliteTarget sqlite_of(const std::string& text) {
  Url url{text};
  EXPECT_EQ(url.take_backend(), "sqlite3");
  return sqlite_target(url);
}

template <class Body>
std::string refusal(Body body) {
  try {
    body();
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
}

constexpr auto own = "?client_encoding=UTF8&fallback_application_name=tablequeue&connect_timeout=";

TEST(SociTargets, PostgresqlGetsAUrlWithoutWhatItsBackendMisreads) {
  EXPECT_EQ(postgresql_of("postgresql+soci://me:a%20'%22%5C;%3D@host:5433/jobs"),
            std::string{"postgresql://me:a%20%27%22%5C%3B%3D@host:5433/jobs"} + own + "10");
  EXPECT_EQ(postgresql_of("postgres://%2Ftmp"), std::string{"postgresql://%2Ftmp/"} + own + "10");
  EXPECT_EQ(postgresql_of("postgresql://[::1]/jobs?connect-timeout=3&sslmode=verify-full"),
            std::string{"postgresql://[::1]/jobs"} + own + "3&sslmode=verify-full");
}

TEST(SociTargets, PostgresqlBehindAPoolerKeepsNothingPrepared) {
  for (const auto& [text, prepare] :
       {std::pair{"postgresql://h/d", true}, std::pair{"postgresql://h/d?tq_prepare=on", true},
        std::pair{"postgresql://h/d?tq_prepare=off", false}}) {
    Url url{text};
    EXPECT_EQ(postgresql_target(url).prepare, prepare) << text;
  }
}

TEST(SociTargets, MysqlGetsQuotedPairs) {
  const auto target = mysql_of("mysql+soci://me:a%20'%22%5C;%3D@db:3307/jobs?read_timeout=9");
  EXPECT_EQ(target.text,
            "host='db' port='3307' user='me' password='a \\'\"\\\\;=' dbname='jobs' "
            "charset='utf8mb4'");
  EXPECT_EQ(target.waits, " connect_timeout=10 read_timeout=9 write_timeout=60");
  EXPECT_FALSE(target.tls);
}

TEST(SociTargets, MysqlMeansTheNetworkByLocalhost) {
  for (const auto* text : {"mysql://localhost", "mysql://", "mariadb+soci://localhost:3306"}) {
    EXPECT_EQ(mysql_of(text).text, "host='127.0.0.1' port='3306' charset='utf8mb4'") << text;
  }
  for (const auto* text : {"mysql://%2Frun%2Fdb.sock", "mysql://?socket=/run/db.sock"}) {
    EXPECT_EQ(mysql_of(text).text, "unix_socket='/run/db.sock' charset='utf8mb4'") << text;
  }
}

TEST(SociTargets, MysqlUsesTlsForAnAuthority) {
  const auto target = mysql_of("mysql://db?ssl-ca=/etc/ca.pem&ssl-cert=c&ssl-key=k");
  EXPECT_TRUE(target.tls);
  EXPECT_TRUE(target.text.ends_with(" sslca='/etc/ca.pem' sslcert='c' sslkey='k'")) << target.text;
  EXPECT_NE(refusal([] { mysql_of("mysql://db?ssl-key=k"); }).find("need ssl-ca"),
            std::string::npos);
}

TEST(SociTargets, SqliteGetsThePathOrAQuotedOne) {
  EXPECT_EQ(sqlite_of("sqlite+soci:////srv/a b'@.db").text, "/srv/a b'@.db");
  EXPECT_EQ(sqlite_of("sqlite:///a=b c").text, "dbname=\"a=b c\"");
  EXPECT_EQ(sqlite_of("sqlite:///jobs.db?mode=ro").text, "dbname=\"jobs.db\" readonly=true");
  EXPECT_EQ(sqlite_of("sqlite:///file:x").text, "./file:x");
  for (const auto* text : {"sqlite:///a=%22", "sqlite:///%20a=b", "sqlite:///%20?mode=ro"}) {
    EXPECT_NE(refusal([&] { sqlite_of(text); }).find("such a path"), std::string::npos) << text;
  }
}

TEST(SociTargets, SqliteHasTheDefaultsOfTheOtherDriver) {
  const auto target = sqlite_of("sqlite:///jobs.db");
  EXPECT_EQ(target.mode, "rwc");
  EXPECT_EQ(target.synchronous, "full");
  EXPECT_FALSE(target.journal_mode);
  EXPECT_EQ(target.busy_timeout, std::chrono::seconds{5});
  const auto other =
      sqlite_of("sqlite:///jobs.db?mode=rw&synchronous=normal&journal-mode=wal&busy_timeout=7");
  EXPECT_EQ(other.mode, "rw");
  EXPECT_EQ(other.synchronous, "normal");
  EXPECT_EQ(other.journal_mode, "wal");
  EXPECT_EQ(other.busy_timeout, std::chrono::milliseconds{7});
}

TEST(SociTargets, RefusesWhatItDoesNotKnow) {
  for (const auto* text : {"postgresql://h/d?colour=red", "postgresql://h/d?client_encoding=LATIN1",
                           "postgresql://h/d?sslmode=a&sslmode=b", "postgresql://h/d?service=x"}) {
    EXPECT_NE(refusal([&] { postgresql_of(text); }).find("unknown, or given twice"),
              std::string::npos)
        << text;
  }
  for (const auto* text : {"mysql://h/d?charset=latin1", "mysql://h/d?ssl-mode=required",
                           "mysql://h/d?reconnect=1", "mysql://h/d?local-infile=1"}) {
    EXPECT_NE(refusal([&] { mysql_of(text); }).find("unknown"), std::string::npos) << text;
  }
  for (const auto* text :
       {"sqlite:///a?vfs=x", "sqlite:///a?mode=memory", "sqlite:///a?busy_timeout=-1", "sqlite:///",
        "sqlite:///a?shared_cache=true"}) {
    EXPECT_NE(refusal([&] { sqlite_of(text); }), "accepted") << text;
  }
}

TEST(SociTargets, OdbcGetsTheConnectionStringWithWhatHasToBeSo) {
  const auto odbc = [](const std::string& text) {
    Url url{text};
    EXPECT_EQ(url.take_backend(), "odbc");
    return odbc_target(url);
  };
  EXPECT_EQ(odbc("mysql://me:a;%7D%20@?backend=odbc&odbc_connect=DSN%3Djobs"),
            "DSN=jobs;UID=me;PWD={a;}} };CHARSET=utf8mb4;AUTO_RECONNECT=0;NO_PROMPT=1;");
  EXPECT_EQ(odbc("sqlite:///?backend=odbc&odbc_connect=DSN%3Djobs;"), "DSN=jobs;");
  EXPECT_EQ(odbc("sqlite:///?backend=odbc&mode=rw&odbc_connect=DSN%3Djobs"), "DSN=jobs;NoCreat=1;");
  EXPECT_TRUE(odbc("postgresql://?backend=odbc&odbc_connect=DSN%3Djobs")
                  .starts_with("DSN=jobs;Protocol=7.4-0;"));
  EXPECT_EQ(odbc("oracle+soci://me:pw@?odbc_connect=Driver%3DX;DBQ%3D//h/s"),
            "Driver=X;DBQ=//h/s;UID=me;PWD=pw;LOB=T;BNF=F;FEN=F;");
  for (const auto* text : {"mysql://?backend=odbc", "mysql://db?backend=odbc&odbc_connect=DSN%3Dx",
                           "mysql:///d?backend=odbc&odbc_connect=DSN%3Dx",
                           "mysql://?backend=odbc&odbc_connect=pwd%3Dx",
                           "mysql://?backend=odbc&odbc_connect=DSN%3Dx&charset=latin1"}) {
    EXPECT_NE(refusal([&] { (void)odbc(text); }), "accepted") << text;
  }
}

TEST(SociTargets, NameTheBackendByTheEngineOrTheParameter) {
  const auto backend = [](const std::string& text) { return Url{text}.take_backend(); };
  EXPECT_EQ(backend("mysql://h/d?backend=odbc"), "odbc");
  EXPECT_EQ(backend("sqlite+soci:///a?backend=sqlite3"), "sqlite3");
  EXPECT_EQ(backend("sqlserver+soci://h/d"), "odbc");
  EXPECT_EQ(backend("oracle://h/d"), "odbc");
  for (const auto* text :
       {"mysql://h/d?backend=postgresql", "db2://h/d", "oracle://h/d?backend=mysql"}) {
    EXPECT_NE(refusal([&] { (void)backend(text); }), "accepted") << text;
  }
}

}  // namespace
}  // namespace tq::soci_driver
