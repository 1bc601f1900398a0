// Texts and numbers through SOCI and back, under whatever a session or an application has set.
#include "soci_fixture.hpp"

namespace tq::soci_driver {
namespace {

class SociValues : public SociServer {
 protected:
  // What a quoting that is not sure of the session would break, or SOCI take for a parameter.
  static std::vector<std::string> odd_texts() {
    std::string large(1 << 20, '\\');
    large += "\xF0\x9F\x98\x80";
    return {"",
            "'",
            "\\",
            "\\'; -- ",
            "''; /* \" ` ",
            ":p1 ::text := ? $1 #",
            "{\"a\":\"\\u0000\xF0\x9F\x98\x80\"}",
            "\xC3\xA9\\",
            "line\n\r\tend\x1A",
            large,
            std::string(1 << 20, '\'')};
  }

  void expect_round_trips(Connection& connection, std::int64_t first) const {
    for (const auto& text : odd_texts()) {
      insert(connection, first, std::string_view{text});
      const auto found = words(connection, first++);
      ASSERT_FALSE(null(found));
      EXPECT_TRUE(tq::text(found) == text) << text.substr(0, 20);
    }
    insert(connection, first, {});
    EXPECT_TRUE(null(words(connection, first)));
  }
};
INSTANTIATE_TEST_SUITE_P(, SociValues, testing::ValuesIn(server_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SociValues);

TEST_P(SociValues, TextsComeBackAsTheyWere) {
  expect_round_trips(*open(), 1);
  const auto session = application(postgresql() ? "" : " charset=utf8mb4");
  SociConnection borrowed{*session};
  expect_round_trips(borrowed, 100);
}

TEST_P(SociValues, TextsComeBackUnderAnyModeOfQuoting) {
  const std::vector<std::string> modes =
      postgresql()
          ? std::vector<std::string>{"SET standard_conforming_strings = off"}
          : std::vector<std::string>{"SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'",
                                     "SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'",
                                     "SET SESSION sql_mode = 'ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH'",
                                     "SET SESSION collation_connection = 'utf8mb4_general_ci'"};
  std::int64_t first = 1;
  for (const auto& mode : modes) {
    expect_round_trips(*open({mode}), first);
    const auto session = application(postgresql() ? "" : " charset=utf8mb4");
    *session << mode;
    SociConnection borrowed{*session};
    expect_round_trips(borrowed, first + 50);
    first += 100;
  }
}

TEST_P(SociValues, NumbersAreExact) {
  const auto db = open();
  for (const auto n : {std::int64_t{-99}, std::int64_t{9007199254740993}, INT64_MAX}) {
    insert(*db, n);
    EXPECT_EQ(number_of(*db, "SELECT n FROM " + table() + " WHERE n = " + std::to_string(n)), n);
  }
  EXPECT_EQ(number_of(*db, "SELECT -9223372036854775807 - 1"), INT64_MIN);
  for (const auto* value : {"'7a'", "1.5", "9223372036854775808", "''"}) {
    EXPECT_EQ(error_of([&] { (void)number_of(*db, std::string{"SELECT "} + value); }).code(),
              Errc::failed)
        << value;
  }
}

TEST_P(SociValues, AnAnswerThatLacksColumnsIsRefused) {
  const auto db = open();
  for (const auto* text : {"SELECT 1", "SELECT 1 WHERE 1 = 0"}) {
    const auto two = query(text, {{"a", Type::int64}, {"b", Type::int64}});
    EXPECT_EQ(error_of([&] { (void)db->run(two, {}); }).code(), Errc::failed) << text;
  }
  EXPECT_EQ(number_of(*db, "SELECT 7"), 7);
}

TEST_P(SociValues, RowsThatAreNotDeclaredAreDropped) {
  const auto db = open();
  for (std::int64_t n = 1; n <= 3; ++n) insert(*db, n);
  db->begin({});
  EXPECT_TRUE(db->run(change("SELECT n FROM " + table()), {}).empty());
  db->execute("SELECT n FROM " + table());
  db->commit();
  EXPECT_EQ(rows(*db), 3);
}

TEST_P(SociValues, TextIsSentAsItIs) {
  const auto db = open();
  db->execute("INSERT INTO " + table() + " VALUES (1, 'a:b'':c') -- :d\n");
  EXPECT_EQ(text(words(*db, 1)), "a:b':c");
  if (!postgresql()) return;
  db->execute("DO $$ DECLARE x bigint := 2; BEGIN INSERT INTO " + table() +
              " VALUES (x, 'y'::text); END $$; INSERT INTO " + table() + " VALUES (3)");
  EXPECT_EQ(rows(*db), 3);
}

TEST_P(SociValues, AStatementThatFailedPoisonsNothing) {
  const auto db = open();
  insert(*db, 1, std::string_view{"one"});
  const auto error = error_of([&] { insert(*db, 1, std::string_view{"the secret payload"}); });
  EXPECT_EQ(error.code(), Errc::duplicate) << error.what();
  EXPECT_EQ(error.statement(), "change");
  EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
  EXPECT_EQ(error_of([&] { insert(*db, -100, std::string_view{"secret"}); }).code(),
            Errc::constraint);
  insert(*db, 2, {});  // null again, and not what the failed one had
  EXPECT_TRUE(null(words(*db, 2)));
}

TEST_P(SociValues, WhatTheServerCannotReadIsToldWithoutTheValues) {
  const auto db = open();
  const auto code = [&](const std::string& text) {
    const auto error = error_of(
        [&] { (void)db->run(change(text + " WHERE words = :words", {{"words"}}), {{"secret"}}); });
    EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos) << error.what();
    return error.code();
  };
  EXPECT_EQ(code("SELEKT 1"), Errc::failed);
  EXPECT_EQ(code("DELETE FROM " + table() + "_no"), Errc::schema_missing);
  EXPECT_EQ(code("UPDATE " + table() + " SET no = 1"), Errc::schema_missing);
}

TEST_P(SociValues, ASessionOfAnotherCharacterSetIsRefused) {
  const auto session = application(postgresql() ? "" : " charset=latin1");
  if (postgresql()) *session << "SET client_encoding = 'LATIN1'";
  SociConnection borrowed{*session};
  EXPECT_EQ(error_of([&] { insert(borrowed, 1); }).code(), Errc::invalid_argument);
  if (postgresql()) return;
  // The server believes in another one than the client library, which quotes by its own.
  const auto told = application(" charset=utf8mb4");
  *told << "SET NAMES latin1";
  SociConnection also{*told};
  EXPECT_EQ(error_of([&] { insert(also, 1); }).code(), Errc::invalid_argument);
}

TEST_P(SociValues, WhatIsTooLargeForThePacketIsNotSent) {
  if (postgresql()) return;  // it has no such limit
  const auto db = open();
  const auto packet = static_cast<std::size_t>(number_of(*db, "SELECT @@max_allowed_packet"));
  const std::string quotes(packet / 2, '\'');
  const auto error = error_of([&] { insert(*db, 1, std::string_view{quotes}); });
  EXPECT_EQ(error.code(), Errc::invalid_argument) << error.what();
  EXPECT_TRUE(db->usable());
  EXPECT_EQ(rows(*db), 0);
}

}  // namespace
}  // namespace tq::soci_driver
