#include "worker_log.hpp"

#include <gmock/gmock.h>

namespace tq::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string printed(const WorkerEvent& event) {
  testing::internal::CaptureStdout();
  print_events("sqlite:///jobs.db", [](int) { FAIL(); })(event);
  return testing::internal::GetCapturedStdout();
}

TEST(PrintEvents, SayHowManyJobsWerePurged) {
  const auto line = printed({.kind = WorkerEvent::Kind::purged, .count = 3});
  EXPECT_THAT(line, HasSubstr(R"("event":"purged")"));
  EXPECT_THAT(line, HasSubstr(R"("count":3)"));
  EXPECT_THAT(line, HasSubstr(R"("database":"sqlite:///jobs.db")"));
}

TEST(PrintEvents, SayWhyNothingIsPurged) {
  const auto line = printed({.kind = WorkerEvent::Kind::purge_refused, .message = "denied"});
  EXPECT_THAT(line, HasSubstr(R"("event":"purge_refused")"));
  EXPECT_THAT(line, HasSubstr(R"("message":"denied")"));
  EXPECT_THAT(line, Not(HasSubstr("count")));
}

TEST(LogEvents, TellPeopleOfPurging) {
  testing::internal::CaptureStderr();
  open_log(Detail::usual);
  const auto log = log_events("");
  log({.kind = WorkerEvent::Kind::purged, .count = 3});
  log({.kind = WorkerEvent::Kind::purge_refused, .message = "permission denied"});
  const auto lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, HasSubstr("purged 3 old jobs"));
  EXPECT_THAT(lines, HasSubstr("may not purge, so this worker does not: permission denied"));
}

}  // namespace
}  // namespace tq::cli
