#include "signals.hpp"

#include <gmock/gmock.h>

namespace tq::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::steady_clock::time_point start{1h};

TEST(SignalCount, TakesThoseRightBehindTheFirstAsOneWithIt) {
  SignalCount count;
  EXPECT_EQ(count.before(start), 0);
  EXPECT_EQ(count.before(start + 2ms), std::nullopt);
  EXPECT_EQ(count.before(start + 199ms), std::nullopt);
  EXPECT_EQ(count.before(start + 200ms), 1);
}

TEST(SignalCount, CountsEveryLaterOne) {
  SignalCount count;
  EXPECT_EQ(count.before(start), 0);
  EXPECT_EQ(count.before(start + 1s), 1);
  EXPECT_EQ(count.before(start + 1s), 2);
}

}  // namespace
}  // namespace tq::cli
