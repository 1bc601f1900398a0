// What Quirks says of Oracle's ODBC driver, carried out by other ODBC drivers on their servers.
#include <limits>

#include "commands.hpp"
#include "error.hpp"
#include "odbc_fixture.hpp"
#include "values.hpp"

namespace tq::odbc {
namespace {

constexpr std::size_t mebibyte = 1U << 20U;
// Characters of one, two, three and four bytes.
constexpr std::string_view all_kinds = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

std::string repeated(std::string_view pattern, std::size_t least) {
  std::string text;
  while (text.size() < least) text += pattern;
  return text;
}

class OdbcQuirks : public OdbcServer {
 protected:
  // Both ways of text, the rest as Oracle's ODBC driver wants it.
  void with_each(const std::function<void(const Quirks&)>& body) const {
    for (const auto text : {Text::utf8, Text::utf16}) {
      SCOPED_TRACE(text == Text::utf8 ? "utf8" : "utf16");
      auto quirks = quirks_of("libsqora.so.23.1");
      quirks.text = text;
      body(quirks);
      application_.run("DELETE FROM " + table());
    }
  }
  Rows run(const Quirks& quirks, const Statement& statement,
           std::vector<Argument> arguments = {}) const {
    auto rendered = statement.render(Placeholders::question);
    const auto handle = make_statement(application_.connection());
    prepare(handle.get(), rendered.text, quirks.text);
    const Parameters parameters{handle.get(), statement, rendered.order, arguments, quirks};
    Canceller nobody;
    return run_prepared(handle.get(), statement, quirks.text, nobody);
  }
  void store(const Quirks& quirks, const Argument& n, const Argument& words) const {
    run(quirks,
        change("INSERT INTO " + table() + " (n, words) VALUES (:n, :words)",
               {{"n", Type::int64}, {"words", Type::text}}),
        {n, words});
  }
  [[nodiscard]] Value words(const Quirks& quirks, std::int64_t n) const {
    const auto statement = query("SELECT words FROM " + table() + " WHERE n = :n",
                                 {{"words", Type::text}}, {{"n", Type::int64}});
    const auto rows = run(quirks, statement, {n});
    return rows.size() == 1 ? rows[0][0] : Value{std::string{"no row"}};
  }

 private:
  Application application_ = application();
};
INSTANTIATE_TEST_SUITE_P(, OdbcQuirks, testing::ValuesIn(urls()), name_of);

// Those whose ODBC driver has descriptors; libsqliteodbc has none.
std::vector<std::string> described() {
  auto all = urls();
  std::erase_if(all, [](const std::string& url) { return url.starts_with("sqlite"); });
  return all;
}
class OdbcDescriptors : public OdbcQuirks {};
INSTANTIATE_TEST_SUITE_P(, OdbcDescriptors, testing::ValuesIn(described()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OdbcDescriptors);

TEST_P(OdbcQuirks, IntegersAsDigitsAreExactAndMayBeNull) {
  with_each([this](const Quirks& quirks) {
    for (const auto number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9007199254740993},
                              std::numeric_limits<std::int64_t>::max()}) {
      store(quirks, number, std::monostate{});
      const auto statement =
          query("SELECT n, words FROM " + table() + " WHERE n = :n",
                {{"n", Type::int64}, {"words", Type::text}}, {{"n", Type::int64}});
      const auto rows = run(quirks, statement, {number});
      ASSERT_EQ(rows.size(), 1U) << number;
      EXPECT_EQ(integer(rows[0][0]), number);
      EXPECT_TRUE(null(rows[0][1]));
    }
    const auto none = query("SELECT COUNT(*) FROM " + table() + " WHERE n = :n",
                            {{"count", Type::int64}}, {{"n", Type::int64}});
    EXPECT_EQ(integer(run(quirks, none, {std::monostate{}})[0][0]), 0);
    EXPECT_THROW(store(quirks, std::monostate{}, std::monostate{}), Failure);
  });
}

// On either side of what is short, and empty.
TEST_P(OdbcQuirks, ShortAndLongTextsAreWhole) {
  with_each([this](const Quirks& quirks) {
    std::int64_t n = 0;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, quirks.short_bytes,
                                   quirks.short_bytes + 1, std::size_t{4001}, mebibyte}) {
      const auto text =
          std::string(size % all_kinds.size(), 'x') + repeated(all_kinds, size / 10 * 10);
      ASSERT_EQ(text.size(), size);
      store(quirks, ++n, std::string_view{text});
      EXPECT_TRUE(tq::text(words(quirks, n)) == text) << size;
    }
  });
}

TEST_P(OdbcQuirks, AShortTextMayBeCompared) {
  with_each([this](const Quirks& quirks) {
    store(quirks, std::int64_t{7}, std::string_view{"a \xE2\x82\xAC"});
    const auto statement = query("SELECT n FROM " + table() + " WHERE words = :words",
                                 {{"n", Type::int64}}, {{"words", Type::text}});
    const auto rows = run(quirks, statement, {std::string_view{"a \xE2\x82\xAC"}});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(integer(rows[0][0]), 7);
  });
}

// What is bound is told to the ODBC driver: a long text has room for four bytes a character in a
// place that is ours.
TEST_P(OdbcDescriptors, ALongTextIsACopyWithRoom) {
  with_each([this](const Quirks& quirks) {
    const auto own = application();
    const auto statement = change("INSERT INTO " + table() + " (n, words) VALUES (1, :words)",
                                  {{"words", Type::text}});
    auto rendered = statement.render(Placeholders::question);
    const auto text = std::string(quirks.short_bytes + 1, 'x');
    const std::vector<Argument> arguments{std::string_view{text}};
    const auto handle = make_statement(own.connection());
    prepare(handle.get(), rendered.text, quirks.text);
    const Parameters parameters{handle.get(), statement, rendered.order, arguments, quirks};
    SQLHDESC descriptor = nullptr;
    ASSERT_EQ(SQLGetStmtAttr(handle.get(), SQL_ATTR_APP_PARAM_DESC, &descriptor, 0, nullptr),
              SQL_SUCCESS);
    SQLPOINTER place = nullptr;
    SQLLEN room = 0;
    ASSERT_EQ(SQLGetDescField(descriptor, 1, SQL_DESC_DATA_PTR, &place, SQL_IS_POINTER, nullptr),
              SQL_SUCCESS);
    ASSERT_EQ(SQLGetDescField(descriptor, 1, SQL_DESC_OCTET_LENGTH, &room, 0, nullptr),
              SQL_SUCCESS);
    EXPECT_NE(place, text.data());
    EXPECT_GE(room, static_cast<SQLLEN>(4 * text.size()));
  });
}

}  // namespace
}  // namespace tq::odbc
