// Text between UTF-8 and UTF-16.
#include <gtest/gtest.h>

#include "tq/error.hpp"
#include "utf16.hpp"

namespace tq::odbc {
namespace {

using Units = std::vector<SQLWCHAR>;

Errc code_of(const std::string& text) {
  try {
    (void)to_utf16(text);
  } catch (const Error& error) {
    return error.code();
  }
  return Errc::failed;
}

TEST(OdbcUtf16, GoesBothWays) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF\xF4\x8F\xBF\xBF";
  EXPECT_EQ(to_utf16(text), (Units{'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, 0xFFFF, 0xDBFF, 0xDFFF}));
  EXPECT_EQ(to_utf8(to_utf16(text)), text);
  EXPECT_EQ(to_utf16(""), Units{});
  EXPECT_EQ(to_utf8({}), "");
  const std::string with_nul{"a\0b", 3};
  EXPECT_EQ(to_utf8(to_utf16(with_nul)), with_nul);
}

TEST(OdbcUtf16, RefusesWhatIsNotUtf8) {
  for (const auto* text : {"\x80", "\xC3", "\xC0\x80", "\xE2\x82", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xC3(", "\xFF"}) {
    EXPECT_EQ(code_of(text), Errc::invalid_argument);
  }
}

TEST(OdbcUtf16, RefusesHalfOfASurrogatePair) {
  for (const auto& units : {Units{0xD83D}, Units{0xDE00}, Units{0xD83D, 'a'}, Units{0xDE00, 0xD83D},
                            Units{0xD83D, 0xD83D, 0xDE00}}) {
    EXPECT_THROW((void)to_utf8(units), Error);
  }
}

}  // namespace
}  // namespace tq::odbc
