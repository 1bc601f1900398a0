#include "queue_weight.hpp"

#include <gtest/gtest.h>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

void expect(const std::string& text, const std::string& queue, int weight) {
  const QueueWeight parsed = parse_queue_weight(text);
  EXPECT_EQ(parsed.queue, queue) << text;
  EXPECT_EQ(parsed.weight, weight) << text;
}

TEST(QueueWeight, StandsBehindTheLastColon) {
  expect("mail", "mail", 1);
  expect("mail:3", "mail", 3);
  expect("a:7:100", "a:7", 100);
}

TEST(QueueWeight, IsAPartOfTheNameWhereItIsNoNumber) {
  expect("a:b", "a:b", 1);
  expect("a:", "a:", 1);
  expect("a:-1", "a:-1", 1);
}

TEST(QueueWeight, IsRefusedOutOfRange) {
  for (const char* text : {"a:0", "a:101", "a:99999999999999999999"}) {
    EXPECT_THROW((void)parse_queue_weight(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace tq::cli
