#include "times.hpp"

#include <gtest/gtest.h>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds,
    std::chrono::milliseconds;

TEST(ParseDuration, ReadsEachUnit) {
  EXPECT_EQ(parse_duration("500ms"), milliseconds{500});
  EXPECT_EQ(parse_duration("30s"), seconds{30});
  EXPECT_EQ(parse_duration("5m"), minutes{5});
  EXPECT_EQ(parse_duration("2h"), hours{2});
  EXPECT_EQ(parse_duration("7d"), days{7});
  EXPECT_EQ(parse_duration("0s"), Duration::zero());
}

TEST(ParseDuration, RefusesWhatIsNotAWholeNumberWithAUnit) {
  for (const char* text : {"", "5", "s", "5 s", " 5s", "5s ", "5x", "5us", "1.5h", "-5s", "+5s",
                           "5S", "5ss", "0x5s", "1e3s", "5m30s"}) {
    EXPECT_THROW(static_cast<void>(parse_duration(text)), UsageError) << text;
  }
}

TEST(ParseDuration, RefusesWhatDoesNotFitInMicroseconds) {
  EXPECT_EQ(parse_duration("106751991d"), days{106751991});
  EXPECT_THROW(static_cast<void>(parse_duration("106751992d")), UsageError);
  EXPECT_THROW(static_cast<void>(parse_duration("9223372036854775807ms")), UsageError);
  EXPECT_THROW(static_cast<void>(parse_duration("99999999999999999999s")), UsageError);
}

TEST(FormatDuration, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(format_duration(Duration::zero()), "0s");
  EXPECT_EQ(format_duration(milliseconds{41}), "41ms");
  EXPECT_EQ(format_duration(milliseconds{3250}), "3.2s");
  EXPECT_EQ(format_duration(seconds{185}), "3m05s");
  EXPECT_EQ(format_duration(minutes{125}), "2h05m");
  EXPECT_EQ(format_duration(hours{49}), "2d01h");
}

TEST(ParseTime, ReadsOffsetsFractionsAndBothCases) {
  const Timestamp noon = from_micros(1'767'355'200'000'000);  // 2026-01-02T12:00:00Z
  EXPECT_EQ(parse_time("2026-01-02T12:00:00Z"), noon);
  EXPECT_EQ(parse_time("2026-01-02t12:00:00z"), noon);
  EXPECT_EQ(parse_time("2026-01-02 12:00:00Z"), noon);
  EXPECT_EQ(parse_time("2026-01-02T14:30:00+02:30"), noon);
  EXPECT_EQ(parse_time("2026-01-01T23:00:00-13:00"), noon);
  EXPECT_EQ(parse_time("2026-01-02T12:00:00.000001Z"), noon + Duration{1});
  EXPECT_EQ(parse_time("2026-01-02T12:00:00.5Z"), noon + milliseconds{500});
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.999999Z"), from_micros(-1));
}

TEST(ParseTime, RefusesOtherForms) {
  for (const char* text :
       {"", "now", "2026-01-02", "2026-01-02T12:00Z", "2026-01-02T12:00:00", "2026-1-2T12:00:00Z",
        "2026-01-02T12:00:00.Z", "2026-01-02T12:00:00.0000001Z", "2026-01-02T12:00:00+0200",
        "2026-01-02T12:00:00Zx", "2026-01-02T12:00:00 Z", "2026-01-02T12:00:00+24:00"}) {
    EXPECT_THROW(static_cast<void>(parse_time(text)), UsageError) << text;
  }
}

TEST(ParseTime, RefusesDaysAndTimesOfDayThatDoNotExist) {
  for (const char* text :
       {"2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-00-10T12:00:00Z",
        "2026-01-02T24:00:00Z", "2026-01-02T12:60:00Z", "2026-01-02T12:00:61Z"}) {
    EXPECT_THROW(static_cast<void>(parse_time(text)), UsageError) << text;
  }
  EXPECT_NO_THROW(static_cast<void>(parse_time("2028-02-29T12:00:00Z")));
}

TEST(FormatTime, IsReadBackWithoutLoss) {
  for (const std::int64_t micros :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'767'355'200'000'001},
        std::int64_t{-62'135'596'800'000'000}, std::int64_t{253'402'300'799'999'999}}) {
    EXPECT_EQ(parse_time(format_time(from_micros(micros))), from_micros(micros)) << micros;
  }
  EXPECT_EQ(format_time(from_micros(5)), "1970-01-01T00:00:00.000005Z");
  EXPECT_EQ(format_time_short(from_micros(1'999'999)), "1970-01-01T00:00:01Z");
}

}  // namespace
}  // namespace tq::cli
