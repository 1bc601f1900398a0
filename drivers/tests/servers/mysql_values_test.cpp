// What goes to the server and comes back, and what is prepared for it.
#include <limits>

#include "mysql_fixture.hpp"

namespace tq::mysql_driver {
namespace {

class MysqlValues : public MysqlServer {
 protected:
  static Value echoed(Connection& connection, Type type, const Argument& argument,
                      const std::string& text = "SELECT :value") {
    const auto statement = query(text, {{"value", type}}, {{"value", type}});
    return connection.run(statement, std::vector{argument})[0][0];
  }
};
INSTANTIATE_TEST_SUITE_P(, MysqlValues, testing::ValuesIn(server_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MysqlValues);

TEST_P(MysqlValues, IntegersAreExact) {
  const auto db = open();
  for (const auto number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9007199254740993},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(integer(echoed(*db, Type::int64, number)), number);
    EXPECT_EQ(integer(echoed(*db, Type::int64, number, "SELECT CAST(:value AS SIGNED)")), number);
  }
  EXPECT_EQ(number_of(*db, "SELECT SUM(n) FROM (SELECT 2 AS n UNION ALL SELECT 5) AS two"), 7);
}

TEST_P(MysqlValues, WhatIsNotAnIntegerIsRefused) {
  const auto db = open();
  for (const auto* sql :
       {"SELECT 1.5", "SELECT 1e0", "SELECT 'x'", "SELECT 18446744073709551615", "SELECT ''"}) {
    EXPECT_EQ(error_of([&] { (void)number_of(*db, sql); }).code(), Errc::failed) << sql;
  }
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
}

TEST_P(MysqlValues, NullIsNullAndAnEmptyTextIsNot) {
  const auto db = open();
  EXPECT_TRUE(null(echoed(*db, Type::text, std::monostate{})));
  EXPECT_TRUE(null(echoed(*db, Type::int64, std::monostate{})));
  EXPECT_EQ(text(echoed(*db, Type::text, std::string_view{})), "");
  EXPECT_TRUE(null(echoed(*db, Type::text, std::string_view{"x"}, "SELECT NULLIF(:value, 'x')")));
}

TEST_P(MysqlValues, TextComesBackByteForByte) {
  const auto db = open();
  using namespace std::string_literals;
  const auto odd = "a\0b \\' \" \xF0\x9F\x98\x80 \xE2\x82\xAC \n"s;
  EXPECT_EQ(text(echoed(*db, Type::text, std::string_view{odd})), odd);
}

// Above 256 KiB the client library sends text as binary.
TEST_P(MysqlValues, AMebibyteIsStoredAsText) {
  const auto db = open();
  std::string large;
  while (large.size() < (1U << 20U)) large += "0123456789ab\xF0\x9F\x98\x80";
  const auto store = change("INSERT INTO " + table() + " (n, words) VALUES (:n, :words)",
                            {{"n", Type::int64}, {"words", Type::text}});
  int n = 0;
  for (const std::size_t size :
       {large.size(), std::size_t{262'144}, std::size_t{262'160}, std::size_t{16}, large.size()}) {
    const auto words = std::string_view{large}.substr(0, size);
    db->run(store, std::vector<Argument>{std::int64_t{++n}, words});
    const auto where = " FROM " + table() + " WHERE n = " + std::to_string(n);
    EXPECT_EQ(text_of(*db, "SELECT words" + where), words);
    EXPECT_EQ(number_of(*db, "SELECT CHAR_LENGTH(words)" + where),
              static_cast<std::int64_t>(size / 16 * 13));
  }
}

TEST_P(MysqlValues, ABatchOfFourMebibytesGoesInAndOut) {
  const auto db = open();
  const auto statement = query(
      "SELECT batch.words FROM JSON_TABLE(CONVERT(:batch USING utf8mb4), '$[*]' COLUMNS (words "
      "LONGTEXT PATH '$')) AS batch",
      {{"words", Type::text}}, {{"batch", Type::text}});
  const std::string words(1U << 20U, 'x');
  std::string batch = "[";
  for (int i = 0; i < 4; ++i) batch += (i == 0 ? "\"" : ",\"") + words + "\"";
  batch += "]";
  const auto rows = db->run(statement, std::vector<Argument>{std::string_view{batch}});
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(text(rows[i][0]), words);
}

TEST_P(MysqlValues, MoreThanThePacketIsRefusedAndNothingSent) {
  const auto db = open();
  const auto most = number_of(*db, "SELECT @@max_allowed_packet");
  const auto executed = status(*db, "Com_stmt_execute");
  const std::string large(static_cast<std::size_t>(most), 'x');
  const auto error = error_of([&] { (void)echoed(*db, Type::text, std::string_view{large}); });
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_NE(std::string{error.what()}.find(std::to_string(most)), std::string::npos);
  EXPECT_EQ(std::stoi(status(*db, "Com_stmt_execute")), std::stoi(executed) + 1);
}

TEST_P(MysqlValues, ARepeatedNameIsBoundAtEachPlace) {
  const auto db = open();
  const auto rows = db->run(
      query("SELECT :b, :a, :b", {{"b", Type::int64}, {"a", Type::text}, {"b2", Type::int64}},
            {{"a", Type::text}, {"b", Type::int64}}),
      std::vector<Argument>{std::string_view{"x"}, std::int64_t{7}});
  EXPECT_EQ(integer(rows[0][0]), 7);
  EXPECT_EQ(text(rows[0][1]), "x");
  EXPECT_EQ(integer(rows[0][2]), 7);
}

TEST_P(MysqlValues, RowsWithoutDeclaredColumnsAreDropped) {
  const auto db = open();
  insert(*db, 1);
  EXPECT_TRUE(db->run(change("SELECT n FROM " + table() + " FOR UPDATE"), {}).empty());
  db->execute("SELECT n FROM " + table());
  EXPECT_EQ(rows(*db), 1);
}

TEST_P(MysqlValues, AnAnswerThatLacksColumnsIsRefused) {
  const auto db = open();
  EXPECT_EQ(error_of([&] {
              (void)db->run(query("SELECT 1", {{"a"}, {"b"}}), {});
            }).code(),
            Errc::failed);
  EXPECT_EQ(error_of([&] { (void)db->run(query("DO 1", {{"a"}}), {}); }).code(), Errc::failed);
  EXPECT_EQ(number_of(*db, "SELECT 1"), 1);
}

TEST_P(MysqlValues, AllResultsOfAProcedureAreDrained) {
  const auto db = open();
  const auto procedure = table() + "_p";
  db->execute("CREATE PROCEDURE " + procedure + "() BEGIN SELECT 1; SELECT 2; SELECT 3; END");
  EXPECT_EQ(number_of(*db, "CALL " + procedure + "()"), 1);
  EXPECT_EQ(number_of(*db, "CALL " + procedure + "()"), 1);
  db->execute("CALL " + procedure + "()");
  EXPECT_EQ(number_of(*db, "SELECT 4"), 4);
  db->execute("DROP PROCEDURE " + procedure);
}

TEST_P(MysqlValues, AStatementIsPreparedOnceAndAnewAfterAnError) {
  const auto db = open();
  const auto statement =
      change("INSERT INTO " + table() + " (n) VALUES (:n)", {{"n", Type::int64}});
  const auto prepared = [&] { return std::stoi(status(*db, "Com_stmt_prepare")); };
  const auto before = prepared();
  for (std::int64_t n = 0; n < 5; ++n) db->run(statement, std::vector<Argument>{n});
  EXPECT_EQ(prepared(), before + 2);  // `statement`, and the second of two questions
  EXPECT_THROW(db->run(statement, std::vector<Argument>{std::int64_t{1}}), Error);
  db->run(statement, std::vector<Argument>{std::int64_t{6}});
  EXPECT_EQ(prepared(), before + 4);
}

TEST_P(MysqlValues, ATableMayChangeUnderAPreparedStatement) {
  const auto db = open();
  insert(*db, 1);
  const auto all = query("SELECT * FROM " + table(), {{"n", Type::int64}, {"words", Type::text}});
  EXPECT_EQ(db->run(all, {}).size(), 1U);
  for (const auto* change : {"ADD COLUMN more TEXT", "MODIFY COLUMN words BIGINT"}) {
    open()->execute("ALTER TABLE " + table() + " " + change);
    try {
      EXPECT_EQ(db->run(all, {}).size(), 1U);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::serialization) << error.what();  // and so it is repeated
      EXPECT_EQ(db->run(all, {}).size(), 1U);
    }
  }
}

TEST_P(MysqlValues, OneTextIsOneStatement) {
  const auto db = open();
  EXPECT_EQ(error_of([&] { db->execute("DO 1; DO 2"); }).code(), Errc::failed);
}

}  // namespace
}  // namespace tq::mysql_driver
