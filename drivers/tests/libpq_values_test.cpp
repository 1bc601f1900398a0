// Arguments as libpq takes them, and rows as they come from a result.
#include <gtest/gtest.h>

#include <string>

#include "handles.hpp"
#include "tq/error.hpp"
#include "values.hpp"

namespace tq::libpq {
namespace {

const Statement& two_parameters() {
  static const Statement statement{"some",
                                   "SELECT :number, :words",
                                   {{"number", Type::int64}, {"words", Type::text}},
                                   {{"number", Type::int64}, {"words", Type::text}}};
  return statement;
}

std::string bytes(const Parameters& parameters, std::size_t i) {
  return {parameters.values()[i], static_cast<std::size_t>(parameters.lengths()[i])};
}

TEST(LibpqParameters, IntegersAreBigEndianAndTextIsSentAsItLies) {
  const std::string words{"a\0b", 3};
  const std::vector<Argument> arguments{std::int64_t{-2}, std::string_view{words}};
  const Parameters parameters{two_parameters(), arguments};
  ASSERT_EQ(parameters.count(), 2);
  EXPECT_EQ(bytes(parameters, 0), std::string("\xff\xff\xff\xff\xff\xff\xff\xfe", 8));
  EXPECT_EQ(bytes(parameters, 1), words);
  EXPECT_EQ(parameters.values()[1], words.data());
  EXPECT_EQ(parameters.types()[0], 20U);
  EXPECT_EQ(parameters.types()[1], 25U);
}

TEST(LibpqParameters, NullIsNullAndAnEmptyTextIsNot) {
  const std::vector<Argument> arguments{std::monostate{}, std::string_view{}};
  const Parameters parameters{two_parameters(), arguments};
  EXPECT_EQ(parameters.values()[0], nullptr);
  ASSERT_NE(parameters.values()[1], nullptr);
  EXPECT_EQ(bytes(parameters, 1), "");
}

TEST(LibpqParameters, StayValidWhenMoved) {
  const std::vector<Argument> arguments{std::int64_t{7}, std::string_view{"x"}};
  Parameters first{two_parameters(), arguments};
  const Parameters second{std::move(first)};
  EXPECT_EQ(bytes(second, 0), std::string("\0\0\0\0\0\0\0\x07", 8));
}

TEST(LibpqParameters, RefuseAnotherTypeOrNumberOfArguments) {
  const std::vector<Argument> swapped{std::string_view{"x"}, std::int64_t{7}};
  EXPECT_THROW((Parameters{two_parameters(), swapped}), Error);
  const std::vector<Argument> one{std::int64_t{7}};
  EXPECT_THROW((Parameters{two_parameters(), one}), Error);
}

// A result that no server gave.
Result result_of(const std::vector<std::string>& cells) {
  Result result{PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)};
  std::vector<std::string> names{"number", "words", "more"};
  std::vector<PGresAttDesc> columns(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) columns[i].name = names[i].data();
  PQsetResultAttrs(result.get(), static_cast<int>(columns.size()), columns.data());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto cell = cells[i];
    PQsetvalue(result.get(), 0, static_cast<int>(i), cell.data(), static_cast<int>(cell.size()));
  }
  return result;
}

TEST(LibpqRows, HaveTheDeclaredColumnsAndTypes) {
  const auto rows = read_rows(two_parameters(), result_of({"-7", "7", "passed over"}).get());
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows.columns(), 2U);
  EXPECT_EQ(integer(rows[0][0]), -7);
  EXPECT_EQ(text(rows[0][1]), "7");
}

TEST(LibpqRows, RefuseWhatIsNotAnInteger) {
  EXPECT_THROW((void)read_rows(two_parameters(), result_of({"7x", ""}).get()), Error);
}

TEST(LibpqRows, RefuseAnAnswerThatLacksAColumn) {
  EXPECT_THROW((void)read_rows(two_parameters(), result_of({"7"}).get()), Error);
}

}  // namespace
}  // namespace tq::libpq
