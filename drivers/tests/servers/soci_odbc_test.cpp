// SOCI's odbc backend on PostgreSQL, MySQL, MariaDB and SQLite, by the ODBC drivers of Debian.
#include <soci/odbc/soci-odbc.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "backends/odbc.hpp"
#include "soci_fixture.hpp"
#include "targets.hpp"
#include "values.hpp"

namespace tq::soci_driver {
namespace {

using namespace std::chrono_literals;

std::string encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '=' || c == ';') {
      result += c == ' ' ? "%20" : c == '=' ? "%3D" : "%3B";
    } else {
      result += c;
    }
  }
  return result;
}

std::string sqlite_file() {
  return testing::TempDir() + "tq-soci-odbc-" + std::to_string(getpid()) + ".db";
}

std::vector<std::string> odbc_urls() {
  std::vector<std::string> urls;
  for (const auto& text : server_urls()) {
    const Url url{text};
    const auto& parts = url.parts();
    const std::string driver =
        url.dialect() == "postgresql" ? "PostgreSQL Unicode" : "MariaDB Unicode";
    urls.push_back(url.dialect() + "+soci://" + parts.user + ":" + parts.password +
                   "@?backend=odbc&odbc_connect=" +
                   encoded("Driver=" + driver + ";Server=" + parts.host + ";Port=" + parts.port +
                           ";Database=" + parts.path));
  }
  if (!urls.empty()) {
    urls.push_back("sqlite+soci:///?backend=odbc&odbc_connect=" +
                   encoded("Driver=SQLite3;Database=" + sqlite_file()));
  }
  return urls;
}

class SociOdbc : public testing::TestWithParam<std::string> {
 protected:
  SociOdbc() {
    const bool mysql = GetParam().starts_with("mysql");
    open()->execute("CREATE TABLE " + table_ + " (n BIGINT PRIMARY KEY, name VARCHAR(128), words " +
                    (mysql ? "LONGTEXT) CHARACTER SET utf8mb4" : "TEXT)"));
  }
  ~SociOdbc() override {
    try {
      open()->execute("DROP TABLE IF EXISTS " + table_);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    if (sqlite()) std::filesystem::remove(sqlite_file());
  }

  static bool sqlite() { return GetParam().starts_with("sqlite"); }
  static bool postgresql() { return GetParam().starts_with("postgresql"); }
  static std::unique_ptr<SociConnection> open() { return SociConnection::open(GetParam()); }
  static std::unique_ptr<soci::session> application() {
    Url url{GetParam()};
    (void)url.take_backend();
    return std::make_unique<soci::session>(soci::odbc, odbc_target(url));
  }

  void insert(Connection& connection, std::int64_t n, const Argument& name = {},
              const Argument& words = {}) const {
    (void)connection.run({"insert",
                          "INSERT INTO " + table_ + " (n, name, words) VALUES (:n, :name, :words)",
                          {{"n", Type::int64}, {"name"}, {"words"}},
                          {}},
                         std::vector<Argument>{n, name, words});
  }
  [[nodiscard]] Rows row(Connection& connection, std::int64_t n) const {
    return connection.run({"row",
                           "SELECT n, name, words FROM " + table_ + " WHERE n = :n",
                           {{"n", Type::int64}},
                           {{"n", Type::int64}, {"name"}, {"words"}}},
                          std::vector<Argument>{n});
  }
  [[nodiscard]] std::int64_t rows(Connection& connection) const {
    return integer(connection.run(
        {"count", "SELECT COUNT(*) FROM " + table_, {}, {{"n", Type::int64}}}, {})[0][0]);
  }

  template <class Body>
  static Error error_of(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {Errc::failed, "none"};
  }

  void expect_round_trips(Connection& connection, std::int64_t n) const {
    // Of a column of 128 characters SOCI would read 128 bytes.
    std::string name;
    for (int i = 0; i < 128; ++i) name += "\xF0\x9F\x98\x80";
    std::string large(1 << 20, '\\');
    large += "'\"\xF0\x9F\x98\x80{\"a\":\"\\u0000\"} :p1 ? ::x";
    for (const auto& words : {std::string{}, std::string{"a'b\\"}, large}) {
      insert(connection, n, std::string_view{name}, std::string_view{words});
      const auto found = row(connection, n);
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(integer(found[0][0]), n);
      EXPECT_EQ(text(found[0][1]), name);
      EXPECT_TRUE(text(found[0][2]) == words) << words.substr(0, 20);
      --n;
    }
    insert(connection, n);
    const auto found = row(connection, n);
    EXPECT_TRUE(null(found[0][1]));
    EXPECT_TRUE(null(found[0][2]));
  }

  std::string table_ = "tq_driver_test_odbc_" + std::to_string(getpid());
};
INSTANTIATE_TEST_SUITE_P(, SociOdbc, testing::ValuesIn(odbc_urls()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SociOdbc);

TEST_P(SociOdbc, ValuesComeBackAsTheyWere) {
  expect_round_trips(*open(), INT64_MAX);
  const auto session = application();
  SociConnection borrowed{*session};
  expect_round_trips(borrowed, 9007199254740993);
}

TEST_P(SociOdbc, KnowsItsTransaction) {
  const auto db = open();
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  db->begin({});
  insert(*db, 1);
  EXPECT_EQ(db->transaction_state(), TransactionState::open);
  const auto error = error_of([&] { insert(*db, 1, std::string_view{"secret"}); });
  EXPECT_EQ(error.code(), Errc::duplicate) << error.what();
  EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos);
  if (postgresql()) {
    EXPECT_EQ(db->transaction_state(), TransactionState::failed);
    EXPECT_TRUE(error_of([&] { db->commit(); }).transaction_lost());
  } else {
    EXPECT_EQ(db->transaction_state(), TransactionState::open);
    db->rollback();
  }
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*db), 0);
  db->begin({});
  insert(*db, 1);
  db->execute("COMMIT");
  EXPECT_EQ(db->transaction_state(), TransactionState::none);
  EXPECT_EQ(rows(*open()), 1);
}

TEST_P(SociOdbc, OnABorrowedSessionTheTransactionIsTheApplications) {
  const auto session = application();
  SociConnection borrowed{*session};
  EXPECT_EQ(borrowed.transaction_state(), TransactionState::none);
  {
    soci::transaction transaction{*session};
    insert(borrowed, 1);
    EXPECT_EQ(borrowed.transaction_state(), TransactionState::open);
  }
  EXPECT_EQ(rows(borrowed), 0);
}

// As Oracle is: no text begins a transaction, and whoever asks is told that there is none until
// something was changed.
servers::Server implicit(const servers::Server& like) {
  auto server = like;
  server.begin = {};
  server.ask_transaction = [](const servers::Execute& /*execute*/) {
    return TransactionState::none;
  };
  return server;
}

TEST_P(SociOdbc, WhereNoTextBeginsATransactionItIsTheClientsOwn) {
  const auto server = implicit(postgresql() ? servers::postgresql()
                               : sqlite()   ? servers::sqlite()
                                            : servers::mysql());
  const auto insert_by = [&](Backend& backend, int n) {
    backend.send("INSERT INTO " + table_ + " (n) VALUES (" + std::to_string(n) + ")", "insert");
  };
  {
    const auto session = application();
    const auto own = own_odbc(*session, server);
    insert_by(*own, 1);  // by itself
    own->begin("");
    insert_by(*own, 2);
    EXPECT_EQ(own->ask_state(), TransactionState::open);
    own->commit();
    EXPECT_EQ(own->ask_state(), TransactionState::none);
    own->begin("");
    insert_by(*own, 3);
    own->rollback();
    own->rollback();  // harmless
    EXPECT_EQ(own->ask_state(), TransactionState::none);
    EXPECT_EQ(rows(*open()), 2);
    own->begin("");
    insert_by(*own, 4);
  }
  EXPECT_EQ(rows(*open()), 2);  // left open, it was rolled back
}

// As texts are bound for Oracle, by other ODBC drivers.
TEST_P(SociOdbc, ShortAndLongTextsAreWhole) {
  auto server = postgresql() ? servers::postgresql()
                : sqlite()   ? servers::sqlite()
                             : servers::mysql();
  server.short_bytes = servers::oracle().short_bytes;
  const auto session = application();
  const auto own = own_odbc(*session, server);
  const Statement statement{
      "insert",
      "INSERT INTO " + table_ + " (n, name, words) VALUES (:n, :name, :words)",
      {{"n", Type::int64}, {"name"}, {"words"}},
      {}};
  const Statement look{"look",
                       "SELECT words FROM " + table_ + " WHERE n = :n AND name = :name",
                       {{"n", Type::int64}, {"name"}},
                       {{"words"}}};
  Prepared insert{*session, *own, statement, soci::details::st_repeatable_query};
  std::int64_t n = 0;
  for (const std::size_t size : {std::size_t{0}, server.short_bytes, server.short_bytes + 1,
                                 std::size_t{4001}, std::size_t{1} << 20U}) {
    std::string words = std::string(size % 4, 'x');
    while (words.size() < size) words += "\xF0\x9F\x98\x80";
    const std::string name = "\xE2\x82\xAC " + std::to_string(++n);
    (void)insert.run(*own, statement,
                     std::vector<Argument>{n, std::string_view{name}, std::string_view{words}});
    Prepared looking{*session, *own, look, soci::details::st_one_time_query};
    const auto rows = looking.run(*own, look, std::vector<Argument>{n, std::string_view{name}});
    ASSERT_EQ(rows.size(), 1U) << size;
    EXPECT_TRUE(text(rows[0][0]) == words) << size;
  }
  (void)insert.run(*own, statement, std::vector<Argument>{++n, Argument{}, Argument{}});
  EXPECT_TRUE(null(row(*open(), n)[0][2]));
}

TEST_P(SociOdbc, WithoutAutocommitATransactionIsAlwaysOpen) {
  const auto server = implicit(servers::mysql());
  const auto session = application();
  const auto borrowed = borrowed_odbc(*session, server);
  EXPECT_EQ(borrowed->ask_state(), TransactionState::none);
  session->begin();
  EXPECT_EQ(borrowed->ask_state(), TransactionState::open);
  session->rollback();
  EXPECT_EQ(borrowed->ask_state(), TransactionState::none);
}

TEST_P(SociOdbc, ARefusedLoginSaysWhatToDo) {
  if (sqlite()) return;  // it has none
  auto wrong = GetParam();
  wrong.replace(wrong.find("@?"), 0, "rong");
  const auto error = error_of([&] { (void)SociConnection::open(wrong); });
  EXPECT_EQ(error.code(), Errc::connection_lost);
  const std::string message = error.what();
  EXPECT_EQ(message.find("rong"), std::string::npos) << message;
  EXPECT_EQ(message.find("user, password") != std::string::npos, !postgresql()) << message;
}

// SOCI's odbc backend gives no handle that another thread might safely cancel.
TEST_P(SociOdbc, CancelDoesNothing) {
  const auto db = open();
  std::jthread cancelling{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) db->cancel();
  }};
  for (std::int64_t n = 1; n <= 20; ++n) insert(*db, n);
  EXPECT_EQ(rows(*db), 20);
}

TEST_P(SociOdbc, AConnectionThatTheServerEndedIsLost) {
  if (sqlite()) return;  // there is nobody who could end it
  const auto db = open();
  const auto id =
      integer(db->run({"id",
                       postgresql() ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()",
                       {},
                       {{"id", Type::int64}}},
                      {})[0][0]);
  open()->execute(postgresql() ? "SELECT pg_terminate_backend(" + std::to_string(id) + ")"
                               : "KILL CONNECTION " + std::to_string(id));
  Error error{Errc::failed, "none"};
  for (int i = 0; i < 100 && error.code() != Errc::connection_lost; ++i) {
    std::this_thread::sleep_for(10ms);
    try {
      (void)rows(*db);
    } catch (const Error& raised) {
      error = raised;
    }
  }
  EXPECT_EQ(error.code(), Errc::connection_lost) << error.what();
  EXPECT_FALSE(db->usable());
}

}  // namespace
}  // namespace tq::soci_driver
