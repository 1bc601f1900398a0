#include "output.hpp"

#include <gtest/gtest.h>

#include "progress.hpp"

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

}  // namespace
}  // namespace tq::cli
