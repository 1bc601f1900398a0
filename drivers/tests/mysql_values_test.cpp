// What is refused before a server is asked.
#include <gtest/gtest.h>

#include <string>

#include "tq/error.hpp"
#include "values.hpp"

namespace tq::mysql_driver {
namespace {

constexpr std::size_t packet_bytes = 1024;

const Statement& two_parameters() {
  static const Statement statement{"some",
                                   "SELECT :number, :words",
                                   {{"number", Type::int64}, {"words", Type::text}},
                                   {{"number", Type::int64}, {"words", Type::text}}};
  return statement;
}

Errc refusal(const std::vector<Argument>& arguments) {
  try {
    check_arguments(two_parameters(), arguments, packet_bytes);
  } catch (const Error& error) {
    return error.code();
  }
  return Errc::failed;
}

TEST(MysqlArguments, FitAsDeclaredOrAreNull) {
  check_arguments(two_parameters(), std::vector<Argument>{std::int64_t{1}, std::string_view{"x"}},
                  packet_bytes);
  check_arguments(two_parameters(), std::vector<Argument>{std::monostate{}, std::monostate{}},
                  packet_bytes);
}

TEST(MysqlArguments, AreRefusedWithAnotherTypeOrNumber) {
  EXPECT_EQ(refusal({std::string_view{"x"}, std::int64_t{7}}), Errc::invalid_argument);
  EXPECT_EQ(refusal({std::int64_t{7}, std::int64_t{7}}), Errc::invalid_argument);
  EXPECT_EQ(refusal({std::int64_t{7}}), Errc::invalid_argument);
}

TEST(MysqlArguments, AreRefusedIfTheServerWouldNotTakeThePacket) {
  const std::string just(packet_bytes - 1, 'x');
  const std::string too_long(packet_bytes, 'x');
  check_arguments(two_parameters(), std::vector<Argument>{std::int64_t{1}, std::string_view{just}},
                  packet_bytes);
  try {
    check_arguments(two_parameters(),
                    std::vector<Argument>{std::int64_t{1}, std::string_view{too_long}},
                    packet_bytes);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_NE(std::string{error.what()}.find("max_allowed_packet is 1024"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tq::mysql_driver
