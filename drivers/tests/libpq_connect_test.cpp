// What is taken out of a connection string, and what its errors do not say.
#include <gtest/gtest.h>

#include "connect.hpp"
#include "tq/error.hpp"
#include "tq/libpq.hpp"

namespace tq::libpq {
namespace {

struct Given {
  std::string url;
  std::string text;
  Prepare prepare;
};

class Accepted : public testing::TestWithParam<Given> {};

TEST_P(Accepted, OurParameterIsTakenOutAndTheRestIsKept) {
  const auto target = parse_target(GetParam().url);
  EXPECT_EQ(target.text, GetParam().text);
  EXPECT_EQ(target.prepare, GetParam().prepare);
}

INSTANTIATE_TEST_SUITE_P(
    Libpq, Accepted,
    testing::Values(
        Given{"postgresql://u:p@h:5/d", "postgresql://u:p@h:5/d", Prepare::on},
        Given{"postgres://h/d?tq_prepare=off", "postgres://h/d", Prepare::off},
        Given{"postgres://h/d?tq_prepare=on&sslmode=disable", "postgres://h/d?sslmode=disable",
              Prepare::on},
        Given{"postgres://h/d?a=1&tq_prepare=off&b=2", "postgres://h/d?a=1&b=2", Prepare::off},
        Given{"postgres:///d?host=%2Ftmp", "postgres:///d?host=%2Ftmp", Prepare::on},
        Given{"postgres://h/d?user=me@server", "postgres://h/d?user=me@server", Prepare::on},
        Given{"host=h dbname=d tq_prepare=off", "host=h dbname=d ", Prepare::off},
        Given{"password='a tq_prepare=off' host=h", "password='a tq_prepare=off' host=h ",
              Prepare::on},
        Given{"password='it\\'s tq_prepare=off'  tq_prepare=off",
              "password='it\\'s tq_prepare=off' ", Prepare::off},
        Given{"password=a\\ tq_prepare=off", "password=a\\ tq_prepare=off ", Prepare::on},
        Given{"", "", Prepare::on}));

class Refused : public testing::TestWithParam<std::string> {};

TEST_P(Refused, WithoutAPartOfIt) {
  try {
    (void)LibpqConnection::open(GetParam());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Libpq, Refused,
                         testing::Values("postgresql://u:p@secret@h/d",
                                         "postgresql://u:p/secret@h/d",
                                         "postgresql://u:secret/p@h/d", "postgresql://u:secret",
                                         "postgresql://h/d?secret=1", "postgresql://h/d?secret",
                                         "postgresql://u:%zzsecret@h/d", "secret",
                                         "host=h password='secret", "host=h secret=1",
                                         "host=h tq_prepare=secret", "host=h tq_prepare"));

TEST(LibpqConnect, WhatCannotBeReachedIsLostAndThePasswordIsNotSaid) {
  try {
    (void)LibpqConnection::open("postgresql://u:secret@127.0.0.1:1/d?connect_timeout=1");
    FAIL() << "connected to port 1";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::connection_lost);
    EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
    EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tq::libpq
