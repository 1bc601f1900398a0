// Which connection string a URL becomes, and what is refused before anything is opened.
#include <gtest/gtest.h>

#include "connection_string.hpp"
#include "tq/error.hpp"
#include "tq/odbc.hpp"
#include "url.hpp"

namespace tq::odbc {
namespace {

using namespace std::chrono_literals;

std::string string_of(const std::string& url) { return parse_url(url).connection_string; }

bool says(const std::string& url, const std::string& keyword) {
  return (";" + string_of(url)).find(";" + keyword + ";") != std::string::npos;
}

std::string refusal(const std::string& url) {
  try {
    (void)parse_url(url);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
}

TEST(OdbcUrl, OfPostgresqlBecomesAConnectionString) {
  EXPECT_EQ(string_of("postgresql+odbc://me:p%40s@db.example.org:5433/jobs"),
            "Driver=PostgreSQL Unicode;Server=db.example.org;Port=5433;Database=jobs;UID=me;"
            "PWD=p@s;Protocol=7.4-0;UseServerSidePrepare=1;UseDeclareFetch=0;LFConversion=0;"
            "ConnSettings=SET client_encoding TO 'UTF8';SSLmode=prefer;");
  EXPECT_EQ(string_of("postgresql://h/d"), string_of("postgres+odbc://h/d"));
  EXPECT_TRUE(says("postgresql://%2Frun%2Fpostgresql/d", "Server=/run/postgresql"));
  EXPECT_EQ(parse_url("postgresql://h").server, &servers::postgresql());
}

TEST(OdbcUrl, OfMysqlAndMariadbBecomesAConnectionString) {
  EXPECT_EQ(string_of("mysql+odbc://me@h/d"),
            "Driver=MariaDB Unicode;Server=h;Database=d;UID=me;CHARSET=utf8mb4;AUTO_RECONNECT=0;"
            "NO_PROMPT=1;CONN_TIMEOUT=10;READ_TIMEOUT=300;WRITE_TIMEOUT=60;");
  EXPECT_EQ(string_of("mariadb://h/d"), string_of("mysql://h/d"));
  EXPECT_TRUE(says("mysql://u@%2Frun%2Fmy.sock/d", "SOCKET=/run/my.sock"));
  EXPECT_TRUE(says("mysql://h/d?connect_timeout=3", "CONN_TIMEOUT=3"));
  EXPECT_TRUE(says("mysql://h/d?read_timeout=7", "read_timeout=7"));
  EXPECT_FALSE(says("mysql://h/d?read_timeout=7", "READ_TIMEOUT=300"));
}

TEST(OdbcUrl, OfSqlServerHasItsPortBehindTheHost) {
  EXPECT_EQ(string_of("sqlserver+odbc://me:p%3B@db.example.org:1433/jobs?Encrypt=yes"),
            "Driver=ODBC Driver 18 for SQL Server;Server=db.example.org,1433;Database=jobs;UID=me;"
            "PWD={p;};Encrypt=yes;");
  EXPECT_TRUE(says("sqlserver://h/d?driver=FreeTDS", "Server=h"));
  // As host,port the server's name has a zero in it, for which one server refused the login.
  EXPECT_TRUE(says("sqlserver://h:1433/d?driver=FreeTDS", "Server=h;Port=1433"));
  EXPECT_TRUE(says("sqlserver://h:1433/d?driver=freetds", "Server=h;Port=1433"));
  EXPECT_TRUE(says("sqlserver://h/d?driver=FreeTDS", "Driver=FreeTDS"));
  EXPECT_EQ(parse_url("sqlserver://h").server, &servers::sqlserver());
}

constexpr auto oracle_always = "APA=T;LOB=T;BNF=F;FEN=F;";

TEST(OdbcUrl, OfOracleNamesItsServiceAsOracleDoes) {
  EXPECT_EQ(string_of("oracle+odbc://me:p%40s@db.example.org:1522/sales.example.org"),
            std::string{"Driver=Oracle 23 ODBC driver;"
                        "DBQ=//db.example.org:1522/sales.example.org?connect_timeout=10;UID=me;"
                        "PWD=p@s;"} +
                oracle_always);
  EXPECT_TRUE(says("oracle://h/s?connect_timeout=3", "DBQ=//h/s?connect_timeout=3"));
  EXPECT_TRUE(says("oracle://[::1]:1521/s", "DBQ=//[::1]:1521/s?connect_timeout=10"));
  EXPECT_TRUE(
      says("oracle://h/s?driver=Oracle%2019%20ODBC%20driver", "Driver=Oracle 19 ODBC driver"));
  EXPECT_EQ(parse_url("oracle://h/s").server, &servers::oracle());
}

TEST(OdbcUrl, OfOracleMayHoldANameOfTnsnamesOrAWholeDescription) {
  EXPECT_EQ(string_of("oracle://me:pw@/sales"),
            std::string{"Driver=Oracle 23 ODBC driver;DBQ=sales;UID=me;PWD=pw;"} + oracle_always);
  EXPECT_TRUE(says("oracle://me@?DBQ=tcps%3A%2F%2Fh%3A2484%2Fs%3Fwallet_location%3D%2Fw",
                   "DBQ=tcps://h:2484/s?wallet_location=/w"));
  EXPECT_EQ(string_of("oracle://me:pw@?dsn=shop"),
            std::string{"DSN=shop;UID=me;PWD=pw;"} + oracle_always);
}

TEST(OdbcUrl, OfSqliteNamesAFileAsSqliteDoes) {
  EXPECT_EQ(string_of("sqlite+odbc:///jobs.db"),
            "Driver=SQLite3;Database=file:jobs.db?mode=rwc;Timeout=1;SyncPragma=full;");
  EXPECT_TRUE(says("sqlite:////srv/a%3Bb%3F{c}%25.db?mode=rw",
                   "Database=file:///srv/a%3Bb%3F%7Bc%7D%25.db?mode=rw"));
  const auto file = parse_url("sqlite:///a?busy_timeout=7&synchronous=normal&journal_mode=delete");
  EXPECT_EQ(file.sqlite->busy_timeout, 7ms);
  EXPECT_EQ(file.sqlite->journal_mode, "delete");
  EXPECT_TRUE(file.sqlite->journal_mode_named);
  EXPECT_NE(file.connection_string.find("SyncPragma=normal;"), std::string::npos);
}

TEST(OdbcUrl, NamesAnotherOdbcDriverOrADataSourceOrAWholeConnectionString) {
  EXPECT_TRUE(says("postgresql://h/d?driver=PostgreSQL%20ANSI", "Driver=PostgreSQL ANSI"));
  EXPECT_TRUE(says("postgresql://h/d?Driver=PostgreSQL%20ANSI", "Driver=PostgreSQL ANSI"));
  EXPECT_EQ(string_of("mysql://?dsn=shop"),
            "DSN=shop;CHARSET=utf8mb4;AUTO_RECONNECT=0;NO_PROMPT=1;CONN_TIMEOUT=10;");
  EXPECT_EQ(string_of("sqlite:///?dsn=file"), "DSN=file;Timeout=1;SyncPragma=full;");
  EXPECT_EQ(string_of("postgresql://:pw@?odbc_connect=DRIVER%3D{X};Server%3Dh;SSLmode%3Drequire"),
            "DRIVER={X};Server=h;SSLmode=require;PWD=pw;Protocol=7.4-0;UseServerSidePrepare=1;"
            "UseDeclareFetch=0;LFConversion=0;ConnSettings=SET client_encoding TO 'UTF8';");
}

TEST(OdbcUrl, PassesAnyOtherParameterOnAsAKeyword) {
  EXPECT_TRUE(says("postgresql://h/d?SSLmode=verify-full", "SSLmode=verify-full"));
  EXPECT_FALSE(says("postgresql://h/d?sslmode=verify-full", "SSLmode=prefer"));
  EXPECT_TRUE(says("postgresql://h/d?pqopt={a%3Bb}", "pqopt={a;b}"));
}

TEST(OdbcUrl, TakesAWayOfTextAndATimeout) {
  EXPECT_EQ(parse_url("mysql://h").text, std::nullopt);
  EXPECT_EQ(parse_url("mysql://h?tq_text=utf8").text, Text::utf8);
  EXPECT_EQ(parse_url("mysql://h?tq_text=utf16").text, Text::utf16);
  EXPECT_EQ(parse_url("mysql://h").connect_timeout, 10s);
  EXPECT_EQ(parse_url("mysql://h?connect_timeout=3").connect_timeout, 3s);
}

TEST(OdbcUrl, IsRefusedWithAReason) {
  const auto refused_for = [](const std::string& url, const std::string& why) {
    const auto message = refusal(url);
    EXPECT_NE(message.find(why), std::string::npos) << url << ": " << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  };
  refused_for("postgresql+libpq://u:secret@h/d", "another driver");
  refused_for("informix://u:secret@h/d", "does not know how to open informix");
  refused_for("postgresql://u:secret@h/d?driver=a&dsn=b", "there can be one");
  refused_for("postgresql://h/d?dsn=b&odbc_connect=a%3Db", "there can be one");
  refused_for("postgresql://u:secret@h/d?Protocol=7.4-2", "TableQueue itself says Protocol");
  refused_for("mysql://h/d?charset=latin1", "TableQueue itself says charset");
  refused_for("postgresql://?odbc_connect=protocol%3D7.4-1", "TableQueue itself says protocol");
  refused_for("postgresql://u:secret@h/d?UID=you", "UID twice");
  refused_for("oracle://u:secret@h/s?DBQ=other", "DBQ twice");
  refused_for("oracle://u:secret@h/s?fen=T", "TableQueue itself says fen");
  refused_for("postgresql://h/d?pwd=secret", "the password stands before the host");
  refused_for("postgresql://h/d?Password=secret", "the password stands before the host");
  refused_for("postgresql://h/d?tq_prepare=off", "tq_prepare is unknown");
  refused_for("mysql://u:secret%20@h/d", "blanks off the ends");
  refused_for("postgresql://:secret@h?odbc_connect=PWD%3Dsecret", "PWD twice");
  refused_for("postgresql://h/d?connect_timeout=0", "connect_timeout");
  refused_for("mysql://h/d?tq_text=latin1", "utf8, utf16");
  refused_for("sqlite:///", "the path is empty");
  refused_for("sqlite:///a?mode=x", "ro, rw, rwc");
  refused_for("sqlite:///a?journal_mode=off", "wal, delete");
  refused_for("sqlite://host/a", "no host");
}

TEST(OdbcConnectionString, PutsBracesWhereTheyHaveToBe) {
  EXPECT_EQ(written({"PWD", "a;b}c"}, Braces::any_value), "PWD={a;b}}c};");
  EXPECT_EQ(written({"PWD", "{x"}, Braces::any_value), "PWD={{x};");
  EXPECT_EQ(written({"PWD", " x "}, Braces::any_value), "PWD={ x };");
  EXPECT_EQ(written({"PWD", ""}, Braces::any_value), "PWD={};");
  EXPECT_EQ(written({"PWD", "a=b@c"}, Braces::any_value), "PWD=a=b@c;");
}

TEST(OdbcConnectionString, OfPsqlodbcHasBracesForThePasswordAlone) {
  EXPECT_EQ(written({"PWD", "a%41+"}, Braces::password_only), "PWD={a%41+};");
  EXPECT_EQ(written({"PWD", "a;b}c"}, Braces::password_only), "PWD={a;b}}c};");
  EXPECT_EQ(written({"Database", "b{r}"}, Braces::password_only), "Database=b{r};");
  EXPECT_EQ(written({"pqopt", "{a;b}"}, Braces::password_only), "pqopt={a;b};");
  for (const auto* odd : {"o;d", " d", "d ", "{a};b"}) {
    EXPECT_THROW((void)written({"UID", odd}, Braces::password_only), Error) << odd;
  }
}

TEST(OdbcConnectionString, HasNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in(""), Names{});
  EXPECT_EQ(names_in("; A =1;;b={x;}}y};C=;D={}"), (Names{"A", "b", "C", "D"}));
  EXPECT_THROW((void)names_in("A=1;b"), Error);
  EXPECT_THROW((void)names_in("b;A=1"), Error);
  EXPECT_THROW((void)names_in("A={x"), Error);
  EXPECT_THROW((void)names_in("A={x}}"), Error);
  EXPECT_TRUE(same_name("Pwd", "PWD"));
  EXPECT_FALSE(same_name("PWD", "PW"));
}

TEST(OdbcConnection, KnowsTheDriverManagersVersion) {
  EXPECT_TRUE(OdbcConnection::client_version().starts_with("unixODBC 2."))
      << OdbcConnection::client_version();
}

}  // namespace
}  // namespace tq::odbc
