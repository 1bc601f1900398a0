// Which server a mysql:// URL names, and what is refused before anything is opened.
#include <gtest/gtest.h>

#include "tq/error.hpp"
#include "tq/mysql_connector.hpp"
#include "url.hpp"

namespace tq::mysql_driver {
namespace {

using namespace std::chrono_literals;

TEST(MysqlUrl, HasAllItsParts) {
  const auto target = parse_url("mysql://me:p%40s%3As@db.example.org:3307/jobs");
  EXPECT_EQ(target.user, "me");
  EXPECT_EQ(target.password, "p@s:s");
  EXPECT_EQ(target.host, "db.example.org");
  EXPECT_EQ(target.port, 3307);
  EXPECT_EQ(target.database, "jobs");
  EXPECT_EQ(target.socket, "");
}

TEST(MysqlUrl, HasDefaults) {
  const auto target = parse_url("mysql://");
  EXPECT_EQ(target.user, "");
  EXPECT_EQ(target.password, "");
  EXPECT_EQ(target.host, "localhost");
  EXPECT_EQ(target.port, 3306);
  EXPECT_EQ(target.database, "");
  EXPECT_EQ(target.tls, Tls::preferred);
  EXPECT_EQ(target.connect_timeout, 10s);
  EXPECT_EQ(target.read_timeout, 300s);
  EXPECT_EQ(target.write_timeout, 60s);
}

TEST(MysqlUrl, TakesAPasswordWithoutAUser) {
  const auto target = parse_url("mysql://:pw@h/d");
  EXPECT_EQ(target.user, "");
  EXPECT_EQ(target.password, "pw");
}

TEST(MysqlUrl, TakesIpv6InBrackets) {
  EXPECT_EQ(parse_url("mysql://u@[::1]:3307/d").host, "::1");
  EXPECT_EQ(parse_url("mysql://u@[::1]:3307/d").port, 3307);
  EXPECT_EQ(parse_url("mysql://u@[fe80::1%25eth0]").host, "fe80::1%eth0");
}

TEST(MysqlUrl, TakesASocketAsHostOrParameterAndThenNoTls) {
  for (const auto* url :
       {"mysql://u@%2Frun%2Fmy.sock/d", "mysql://u@localhost/d?socket=/run/my.sock",
        "mysql:///d?socket=%2Frun%2Fmy.sock"}) {
    EXPECT_EQ(parse_url(url).socket, "/run/my.sock") << url;
    EXPECT_EQ(parse_url(url).tls, Tls::disabled) << url;
  }
  EXPECT_EQ(parse_url("mysql:///d?socket=/s&ssl-mode=required").tls, Tls::required);
}

TEST(MysqlUrl, IsAlsoWrittenMariadb) { EXPECT_EQ(parse_url("mariadb://h/d").host, "h"); }

TEST(MysqlUrl, TakesParametersWithHyphenOrUnderscore) {
  const auto target = parse_url(
      "mysql://h/d?connect_timeout=3&read-timeout=0&write-timeout=7&ssl-mode=verify-identity&"
      "ssl-ca=/ca.pem&ssl-cert=/c.pem&ssl-key=/k.pem&server-public-key-path=/p.pem");
  EXPECT_EQ(target.connect_timeout, 3s);
  EXPECT_EQ(target.read_timeout, 0s);
  EXPECT_EQ(target.write_timeout, 7s);
  EXPECT_EQ(target.tls, Tls::verify_identity);
  EXPECT_EQ(target.ca, "/ca.pem");
  EXPECT_EQ(target.certificate, "/c.pem");
  EXPECT_EQ(target.key, "/k.pem");
  EXPECT_EQ(target.server_public_key, "/p.pem");
}

TEST(MysqlUrl, WithAnAuthorityVerifiesTheServer) {
  EXPECT_EQ(parse_url("mysql://h/d?ssl-ca=/ca.pem").tls, Tls::verify_identity);
}

TEST(MysqlUrl, NamesTheParameterThatItRefuses) {
  for (const auto* name : {"tcp-nodelay", "charset", "ssl-modes"}) {
    try {
      (void)parse_url("mysql://h/d?" + std::string{name} + "=1");
      ADD_FAILURE() << "accepted " << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string{error.what()}.find("parameter " + std::string{name}), std::string::npos)
          << error.what();
    }
  }
}

class RefusedMysqlUrl : public testing::TestWithParam<std::string> {};

TEST_P(RefusedMysqlUrl, WithoutAPartOfThePassword) {
  try {
    (void)MysqlConnection::open(GetParam());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    MysqlDriver, RefusedMysqlUrl,
    testing::Values(
        "postgresql://u:secret@h/d", "mysql://u:p@secret@h/d", "mysql://u:p/secret@h/d",
        "mysql://u:secret/p@h/d", "mysql://u:secret", "mysql://u:p?secret=x@h/d",
        "mysql://u:%zzsecret@h/d", "mysql://u:secret%@h/d", "mysql://u:secret%00@h/d",
        "mysql://u:secret@[::1/d", "mysql://u:secret@[::1]3306/d", "mysql://u:secret@h h/d",
        "mysql://u:secret@h:0/d", "mysql://u:secret@h:65536/d", "mysql://u:secret@h/d/e",
        "mysql://u:secret@h/d?ssl-mode=verify-ca", "mysql://u:secret@h/d?ssl-mode=on",
        "mysql://u:secret@h/d?ssl-mode", "mysql://u:secret@h/d?ssl-ca=/ca.pem&ssl-mode=required",
        "mysql://u:secret@h/d?ssl-mode=disabled&ssl-key=/k.pem",
        "mysql://u:secret@h/d?connect-timeout=0", "mysql://u:secret@h/d?read-timeout=1.5",
        "mysql://u:secret@h/d?ssl-ca=/no/such/file",
        "mysql://u:secret@h/d?server-public-key-path=/no/such/file"));

TEST(MysqlConnect, WhatCannotBeReachedIsLostAndThePasswordIsNotSaid) {
  for (const auto* place : {"127.0.0.1:1", "%2Fno%2Fsuch%2Fsocket", "[::1]:1"}) {
    try {
      (void)MysqlConnection::open("mysql://u:secret@" + std::string{place} +
                                  "/d?connect-timeout=1");
      FAIL() << "connected to " << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::connection_lost);
      EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
    }
  }
}

TEST(MysqlClient, SaysItsVersion) {
  EXPECT_TRUE(MysqlConnection::client_version().starts_with("MySQL Connector/C++ 1."));
}

}  // namespace
}  // namespace tq::mysql_driver
