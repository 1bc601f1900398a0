#include "tq/id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace tq {
namespace {

TEST(JobId, IsAVersion7UuidOfNow) {
  const auto text = JobId::generate().text();
  ASSERT_EQ(text.size(), 36U);
  EXPECT_EQ(text[14], '7');
  EXPECT_NE(std::string{"89ab"}.find(text[19]), std::string::npos);
  const auto millis = std::stoll(text.substr(0, 8) + text.substr(9, 4), nullptr, 16);
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_NEAR(static_cast<double>(millis), static_cast<double>(now), 60'000.0);
}

TEST(JobId, AscendsStrictlyWithinAThread) {
  auto last = JobId::generate();
  for (int i = 0; i < 200'000; ++i) {
    const auto next = JobId::generate();
    ASSERT_LT(last, next);
    ASSERT_LT(last.text(), next.text());
    last = next;
  }
}

TEST(JobId, IsUniqueAcrossThreads) {
  std::vector<std::vector<JobId>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& ids : made) {
      threads.emplace_back([&ids] {
        for (int i = 0; i < 20'000; ++i) ids.push_back(JobId::generate());
      });
    }
  }
  std::set<JobId> all;
  for (const auto& ids : made) {
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), 80'000U);
}

TEST(JobId, ReadsBackWhatItWrites) {
  const auto id = JobId::generate();
  EXPECT_EQ(JobId::parse(id.text()), id);
  EXPECT_EQ(JobId::parse("0198C0DE-1234-7ABC-8def-0123456789AB")->text(),
            "0198c0de-1234-7abc-8def-0123456789ab");
}

TEST(JobId, RefusesWhatIsNotAUuid) {
  for (const auto* text :
       {"", "0198c0de", "0198c0de-1234-7abc-8def-0123456789a",
        "0198c0de-1234-7abc-8def-0123456789abc", "0198c0de11234-7abc-8def-0123456789ab",
        "0198c0de-1234-7abc-8def-0123456789ag"}) {
    EXPECT_FALSE(JobId::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tq
