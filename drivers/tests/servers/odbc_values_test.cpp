// What goes to a server and comes back, as UTF-8 and as UTF-16.
#include <clocale>
#include <limits>
#include <tuple>

#include "commands.hpp"
#include "odbc_fixture.hpp"
#include "values.hpp"

namespace tq::odbc {
namespace {

constexpr std::size_t mebibyte = 1U << 20U;
// Characters of one, two, three and four bytes.
constexpr std::string_view all_kinds = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

class OdbcValues : public OdbcServer {
 protected:
  // Both ways of text.
  void with_each(const std::function<void(Connection&)>& body) const {
    for (const auto* text : {"tq_text=utf8", "tq_text=utf16"}) {
      SCOPED_TRACE(text);
      body(*open(text));
    }
  }
  void store(Connection& connection, std::int64_t n, const Argument& words) const {
    connection.run(change("INSERT INTO " + table() + " (n, words) VALUES (:n, :words)",
                          {{"n", Type::int64}, {"words", Type::text}}),
                   std::vector<Argument>{n, words});
  }
  [[nodiscard]] std::string where(std::int64_t n) const {
    return " FROM " + table() + " WHERE n = " + std::to_string(n);
  }
  [[nodiscard]] std::string length() const {
    return is("sqlite") ? "length(words)" : "CHAR_LENGTH(words)";
  }
  static std::string repeated(std::string_view pattern, std::size_t least) {
    std::string text;
    while (text.size() < least) text += pattern;
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(, OdbcValues, testing::ValuesIn(urls()), name_of);

TEST_P(OdbcValues, ALimitOnTheApplicationsConnectionKeepsNoRowsBack) {
  const auto own = application();
  SQLSetConnectAttr(own.connection(), SQL_ATTR_MAX_ROWS, as_pointer(1), 0);
  OdbcConnection borrowed{own.connection()};
  const auto two = query("SELECT 1 AS n UNION ALL SELECT 2 AS n", {{"n", Type::int64}});
  EXPECT_EQ(borrowed.run(two, {}).size(), 2U);
}

TEST_P(OdbcValues, IntegersAreExact) {
  with_each([this](Connection& db) {
    db.execute("DELETE FROM " + table());
    for (const auto number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9007199254740993},
                              std::numeric_limits<std::int64_t>::max()}) {
      insert(db, number);
      EXPECT_EQ(number_of(db, "SELECT n" + where(number)), number);
    }
    EXPECT_EQ(number_of(db, "SELECT SUM(n) FROM (SELECT 2 AS n UNION ALL SELECT 5) AS two"), 7);
  });
}

TEST_P(OdbcValues, WhatIsNotAnIntegerIsRefused) {
  with_each([](Connection& db) {
    for (const auto* sql :
         {"SELECT 1.5", "SELECT 'x'", "SELECT 18446744073709551615", "SELECT ''"}) {
      EXPECT_EQ(error_of([&] { (void)number_of(db, sql); }).code(), Errc::failed) << sql;
    }
    EXPECT_EQ(number_of(db, "SELECT 1"), 1);
  });
}

TEST_P(OdbcValues, NullIsNullAndAnEmptyTextIsNot) {
  with_each([this](Connection& db) {
    db.execute("DELETE FROM " + table());
    store(db, 1, std::monostate{});
    store(db, 2, std::string_view{});
    const auto all = db.run(query("SELECT n, words FROM " + table() + " ORDER BY n",
                                  {{"n", Type::int64}, {"words", Type::text}}),
                            {});
    EXPECT_TRUE(null(all[0][1]));
    EXPECT_EQ(text(all[1][1]), "");
    EXPECT_EQ(number_of(db, "SELECT COUNT(*) FROM " + table() + " WHERE words IS NULL"), 1);
    const auto counted = query("SELECT COUNT(*) FROM " + table() + " WHERE n = :n",
                               {{"count", Type::int64}}, {{"n", Type::int64}});
    EXPECT_EQ(integer(db.run(counted, std::vector<Argument>{std::monostate{}})[0][0]), 0);
  });
}

TEST_P(OdbcValues, TextIsTheSameInEveryLocale) {
  const std::string odd = "\\ ' \" ? :x {d '1'} \\u0000 \n\r\n\t" + std::string{all_kinds};
  for (const auto* locale : {"C", "C.utf8"}) {
    ASSERT_NE(std::setlocale(LC_ALL, locale), nullptr);
    SCOPED_TRACE(locale);
    with_each([&](Connection& db) {
      db.execute("DELETE FROM " + table());
      store(db, 1, std::string_view{odd});
      EXPECT_EQ(text_of(db, "SELECT words" + where(1)), odd);
      const auto characters = static_cast<std::int64_t>(odd.size()) - 6;
      EXPECT_EQ(number_of(db, "SELECT " + length() + where(1)), characters);
      // Behind the wide functions, which libsqliteodbc does not have, the driver manager would
      // take a statement's own text for the locale's.
      if (!is("sqlite")) {
        EXPECT_EQ(text_of(db, "SELECT '" + std::string{all_kinds} + "'"), all_kinds);
      }
    });
  }
  std::setlocale(LC_ALL, "C");
}

// Of every alignment with the pieces in which a text is read.
TEST_P(OdbcValues, LongTextIsWhole) {
  with_each([this](Connection& db) {
    db.execute("DELETE FROM " + table());
    std::int64_t n = 0;
    for (const std::size_t size : {std::size_t{255}, std::size_t{1020}, std::size_t{4090},
                                   std::size_t{8185}, std::size_t{65530}, mebibyte}) {
      for (std::size_t shift = 0; shift < 10; ++shift) {
        const auto words = std::string(shift, 'x') + repeated(all_kinds, size);
        store(db, ++n, std::string_view{words});
        EXPECT_TRUE(text_of(db, "SELECT words" + where(n)) == words) << size << " + " << shift;
      }
    }
    EXPECT_EQ(number_of(db, "SELECT " + length() + where(n)),
              static_cast<std::int64_t>(9 + repeated(all_kinds, mebibyte).size() / 10 * 4));
  });
}

TEST_P(OdbcValues, TextIsReadInPiecesOfAnySize) {
  const auto words = repeated(all_kinds, 100);
  const auto db = open();
  store(*db, 1, std::string_view{words});
  const auto application = this->application();
  for (const auto encoding : {Text::utf8, Text::utf16}) {
    for (std::size_t piece = 4; piece < 120; ++piece) {
      const auto statement = make_statement(application.connection());
      prepare(statement.get(), "SELECT words, n" + where(1), encoding);
      ASSERT_EQ(SQLExecute(statement.get()), SQL_SUCCESS);
      ASSERT_EQ(SQLFetch(statement.get()), SQL_SUCCESS);
      EXPECT_EQ(read_text(statement.get(), 1, encoding, piece), words) << piece;
      EXPECT_EQ(read_text(statement.get(), 2, encoding, piece), "1") << piece;
    }
  }
}

TEST_P(OdbcValues, AMebibyteOfJsonIsTakenApart) {
  const auto words = repeated(all_kinds, mebibyte);
  const auto batch = R"(["\u00e9", ")" + words + R"("])";
  const std::string sql =
      is("mysql")    ? "SELECT batch.words FROM JSON_TABLE(CONVERT(:batch USING utf8mb4), '$[*]' "
                       "COLUMNS (o FOR ORDINALITY, words LONGTEXT PATH '$')) AS batch WHERE o = 2"
      : is("sqlite") ? "SELECT value FROM json_each(:batch) WHERE key = 1"
                     : "SELECT CAST(:batch AS json) ->> 1";
  with_each([&](Connection& db) {
    const auto statement = query(sql, {{"words", Type::text}}, {{"batch", Type::text}});
    const auto rows = db.run(statement, std::vector<Argument>{std::string_view{batch}});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(text(rows[0][0]) == words);
  });
}

TEST_P(OdbcValues, ARepeatedNameIsBoundAtEachPlace) {
  with_each([this](Connection& db) {
    db.execute("DELETE FROM " + table());
    db.run(change("INSERT INTO " + table() + " (n, words) VALUES (:n, :t), (:n + 1, :t)",
                  {{"t", Type::text}, {"n", Type::int64}}),
           std::vector<Argument>{std::string_view{"x"}, std::int64_t{7}});
    EXPECT_EQ(number_of(db, "SELECT COUNT(*) FROM " + table() + " WHERE words = 'x' AND n > 6"), 2);
  });
}

TEST_P(OdbcValues, RowsWithoutDeclaredColumnsAreDroppedAndMissingOnesRefused) {
  const auto db = open();
  insert(*db, 1);
  EXPECT_TRUE(db->run(change("SELECT n FROM " + table()), {}).empty());
  db->execute("SELECT n FROM " + table());
  const std::vector<Field> two{{"a", Type::int64}, {"b", Type::int64}};
  EXPECT_EQ(error_of([&] { (void)db->run(query("SELECT 1", two), {}); }).code(), Errc::failed);
  EXPECT_EQ(error_of([&] { (void)db->run(query("DELETE FROM " + table(), two), {}); }).code(),
            Errc::failed);
  EXPECT_EQ(rows(), 0);
}

TEST_P(OdbcValues, WrongArgumentsAreRefused) {
  const auto db = open();
  const auto statement = change("INSERT INTO " + table() + " (n, words) VALUES (:n, :words)",
                                {{"n", Type::int64}, {"words", Type::text}});
  const auto code = [&](std::vector<Argument> arguments) {
    return error_of([&] { db->run(statement, arguments); }).code();
  };
  EXPECT_EQ(code({std::int64_t{1}}), Errc::invalid_argument);
  EXPECT_EQ(code({std::string_view{"1"}, std::string_view{"x"}}), Errc::invalid_argument);
  EXPECT_EQ(code({std::int64_t{1}, std::int64_t{1}}), Errc::invalid_argument);
  EXPECT_EQ(rows(), 0);
}

}  // namespace
}  // namespace tq::odbc
