#include "output.hpp"

#include <gmock/gmock.h>

#include "progress.hpp"
#include "watch.hpp"

namespace tq::cli {
namespace {

TEST(Shortened, CutsAtCharactersNotBytes) {
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
  EXPECT_EQ(shortened("abc", 1), "…");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Printable, TakesEscapesFromTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2J\nb\x7F"), "a [2J b ");
  EXPECT_EQ(printable("é😀"), "é😀");
}

TEST(ProgressLine, ShowsABarWhereTheTotalIsKnown) {
  EXPECT_EQ(progress_line("5 jobs", 5, 0), "5 jobs");
  EXPECT_EQ(progress_line("5 jobs", 5, 10), "[###############---------------]  50 %  5 jobs");
  EXPECT_EQ(progress_line("x", 11, 10), "[##############################] 100 %  x");
}

TEST(Fitted, LeavesWhatHasRoom) {
  EXPECT_THAT(fitted({"ab", "cd"}, 2, 2), testing::ElementsAre("ab", "cd"));
  EXPECT_THAT(fitted({}, 2, 2), testing::IsEmpty());
}

TEST(Fitted, SaysHowMuchHasNone) {
  EXPECT_THAT(fitted({"abc", "b", "c", "d"}, 3, 20),
              testing::ElementsAre("abc", "b", "… 2 more lines"));
  EXPECT_THAT(fitted({"abc", "é€"}, 2, 2), testing::ElementsAre("a…", "é€"));
  EXPECT_THAT(fitted({"a", "b"}, 1, 4), testing::ElementsAre("… 2…"));
}

}  // namespace
}  // namespace tq::cli
