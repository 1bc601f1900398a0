// When acknowledgements are sent and jobs are asked for.
#include <gtest/gtest.h>

#include <thread>

#include "worker_hand.hpp"

namespace tq {
namespace {

using namespace std::chrono_literals;

std::vector<Job> jobs(std::size_t count) {
  std::vector<Job> made(count);
  for (auto& job : made) {
    job.job_id = JobId::generate();
    job.generation = 1;
    job.worker = "w";
  }
  return made;
}

Acknowledgement completed(const Held& held) { return {.lease = held->job.lease()}; }

// A hand whose handlers are so quick that acknowledgements come together.
class Hands : public ::testing::Test {
 protected:
  void SetUp() override {
    add(50);
    for (int i = 0; i < 50; ++i) finish_next();
    hand.answered(hand.take_acks().size());
    ASSERT_TRUE(hand.empty());
  }
  void add(std::size_t count) { hand.add(jobs(count), Clock::now() + 60s); }
  void finish_next() {
    const auto held = hand.take();
    hand.finish(held, completed(held), 1us);
  }

  Hand hand{4};
};

TEST_F(Hands, AcknowledgementWaitsForCompanyFiveMillisecondsAtMost) {
  add(3);
  const auto begun = Clock::now();
  finish_next();
  EXPECT_TRUE(hand.take_acks().empty());
  hand.wait(Hand::Waiter::committer, Clock::now() + 5s, {.acks = true});
  const auto waited = Clock::now() - begun;
  EXPECT_GE(waited, 5ms);
  EXPECT_LT(waited, 2s);
  EXPECT_EQ(hand.take_acks().size(), 1U);
}

TEST_F(Hands, SeveralThatComeTogetherWaitNoLonger) {
  add(3);
  std::jthread releasing{[this] {
    std::this_thread::sleep_for(50ms);
    hand.release(jobs(3));
  }};
  const auto begun = Clock::now();
  hand.wait(Hand::Waiter::committer, begun + 60s, {.acks = true});
  EXPECT_LT(Clock::now() - begun, 30s);
  EXPECT_EQ(hand.take_acks().size(), 3U);
}

TEST_F(Hands, LastAcknowledgementInHandWaitsForNobody) {
  add(2);
  finish_next();
  EXPECT_TRUE(hand.take_acks().empty());
  finish_next();
  EXPECT_EQ(hand.take_acks().size(), 2U);
}

TEST_F(Hands, AcknowledgementOfASlowHandlerWaitsForNobody) {
  add(3);
  const auto held = hand.take();
  hand.finish(held, completed(held), 10s);
  EXPECT_EQ(hand.take_acks().size(), 1U);
}

TEST_F(Hands, ClaimTakesAlongWhatCouldStillWait) {
  add(3);
  finish_next();
  EXPECT_TRUE(hand.take_acks().empty());
  EXPECT_EQ(hand.take_all_acks().size(), 1U);
}

TEST_F(Hands, StatementTakesAThousandAcknowledgements) {
  add(1500);
  for (int i = 0; i < 1500; ++i) finish_next();
  EXPECT_EQ(hand.take_acks().size(), 1000U);
  EXPECT_EQ(hand.take_acks().size(), 500U);
}

TEST_F(Hands, WhatWasSentAndNotAnsweredIsStillInHand) {
  add(1);
  finish_next();
  auto acks = hand.take_acks();
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_FALSE(hand.empty());
  hand.put_back(std::move(acks), 0ms);
  EXPECT_FALSE(hand.empty());
  hand.answered(hand.take_acks().size());
  EXPECT_TRUE(hand.empty());
}

TEST_F(Hands, WhatWasPutBackWaitsForItsPause) {
  add(1);
  finish_next();
  hand.put_back(hand.take_acks(), 1h);
  EXPECT_TRUE(hand.take_acks().empty());
  EXPECT_TRUE(hand.take_all_acks().empty());
}

TEST_F(Hands, NothingIsClaimedBehindAMountainOfAcknowledgements) {
  for (int i = 0; i < 2001; ++i) {
    add(1);
    finish_next();
  }
  EXPECT_EQ(hand.wanted(), 0U);
  std::size_t taken = 0;
  while (taken < 2001) {
    const auto acks = hand.take_acks().size();
    ASSERT_GT(acks, 0U);
    EXPECT_EQ(hand.wanted(), 0U);  // sent, but not answered
    taken += acks;
  }
  hand.answered(taken);
  EXPECT_GT(hand.wanted(), 0U);
}

TEST_F(Hands, WaiterIsWokenByItsReasonFromAnotherThread) {
  for (const bool room : {true, false}) {
    add(600);
    EXPECT_EQ(hand.wanted(), 0U);
    std::jthread worker{[this] {
      for (int i = 0; i < 600; ++i) finish_next();
      hand.answered(hand.take_acks().size());
    }};
    const auto begun = Clock::now();
    hand.wait(Hand::Waiter::claimer, begun + 60s, {.room = room, .empty = !room});
    EXPECT_LT(Clock::now() - begun, 30s);
  }
}

TEST_F(Hands, NudgeEndsTheNextWaitOfEach) {
  hand.nudge();
  const auto begun = Clock::now();
  hand.wait(Hand::Waiter::claimer, begun + 60s, {});
  hand.wait(Hand::Waiter::committer, begun + 60s, {});
  EXPECT_LT(Clock::now() - begun, 30s);
}

}  // namespace
}  // namespace tq
