// What is known of an engine: which one it is, and what its answers say of session and transaction.
#include "servers/server.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tq::servers {
namespace {

// A server that answers each text with an error or, where there is none, carries it out.
class Scripted {
 public:
  explicit Scripted(std::map<std::string, Error> errors) : errors_(std::move(errors)) {}
  void operator()(std::string_view text) {
    said.emplace_back(text);
    const auto word = std::string{text.substr(0, text.find(' '))};
    if (const auto found = errors_.find(word); found != errors_.end()) throw Error{found->second};
  }
  std::vector<std::string> said;

 private:
  std::map<std::string, Error> errors_;
};

Error state(const std::string& sqlstate) {
  return Error{ErrorDetails{.code = Errc::failed, .sqlstate = sqlstate}, "refused"};
}

Error number(int vendor_code) {
  return Error{ErrorDetails{.code = Errc::failed, .vendor_code = vendor_code}, "refused"};
}

TransactionState asked(const Server& server, std::map<std::string, Error> errors) {
  return server.ask_transaction(Scripted{std::move(errors)});
}

TEST(ServerCalled, IsFoundByWhatItCallsItself) {
  EXPECT_EQ(server_called("PostgreSQL"), &postgresql());
  EXPECT_EQ(server_called("MySQL"), &mysql());
  EXPECT_EQ(server_called("MariaDB"), &mysql());
  EXPECT_EQ(server_called("Oracle"), &oracle());
  EXPECT_EQ(server_called("SQLite"), &sqlite());
  EXPECT_EQ(server_called("Microsoft SQL Server"), &sqlserver());
  EXPECT_EQ(server_called("dBASE"), nullptr);
  EXPECT_EQ(server_called(""), nullptr);
}

TEST(ServerTransaction, IsToldFromPostgresqlsStates) {
  EXPECT_EQ(asked(postgresql(), {}), TransactionState::open);
  EXPECT_EQ(asked(postgresql(), {{"SAVEPOINT", state("25P01")}}), TransactionState::none);
  EXPECT_EQ(asked(postgresql(), {{"SAVEPOINT", state("25P02")}}), TransactionState::failed);
  EXPECT_THROW(asked(postgresql(), {{"SAVEPOINT", state("57P01")}}), Error);
}

TEST(ServerTransaction, IsToldByMysqlsSavepoints) {
  EXPECT_EQ(asked(mysql(), {}), TransactionState::open);
  EXPECT_EQ(asked(mysql(), {{"RELEASE", number(1305)}}), TransactionState::none);
  EXPECT_THROW(asked(mysql(), {{"RELEASE", number(2013)}}), Error);
}

TEST(ServerTransaction, IsToldByOraclesOwnPackage) {
  EXPECT_EQ(asked(oracle(), {}), TransactionState::open);
  EXPECT_EQ(asked(oracle(), {{"BEGIN", number(20101)}}), TransactionState::none);
  EXPECT_THROW(asked(oracle(), {{"BEGIN", number(3113)}}), Error);
}

TEST(ServerTransaction, IsToldBySqlitesBegin) {
  EXPECT_EQ(asked(sqlite(), {}), TransactionState::none);
  EXPECT_EQ(asked(sqlite(), {{"BEGIN", number(1)}}), TransactionState::open);
  EXPECT_THROW(asked(sqlite(), {{"BEGIN", number(10)}}), Error);
}

TEST(ServerTransaction, IsToldBySqlserversCountAndState) {
  const auto answers = [](bool none, bool doomed) {
    return sqlserver().ask_transaction([=](std::string_view text) {
      const bool count = text.find("@@TRANCOUNT") != std::string_view::npos;
      if (count ? none : doomed) throw Error{number(50000)};
    });
  };
  EXPECT_EQ(answers(false, false), TransactionState::open);
  EXPECT_EQ(answers(true, false), TransactionState::none);
  EXPECT_EQ(answers(false, true), TransactionState::failed);
  EXPECT_THROW(asked(sqlserver(), {{"IF", number(10054)}}), Error);
}

TEST(ServerTransaction, IsNotRiskedBySqlserversQuestion) {
  std::vector<std::string> said;
  (void)sqlserver().ask_transaction([&](std::string_view text) { said.emplace_back(text); });
  for (const auto& text : said) {
    // What ends a transaction, or begins one, is in none of them.
    for (const auto* word : {"THROW", "BEGIN", "COMMIT", "ROLLBACK", "SAVE"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << text;
    }
  }
  EXPECT_EQ(said.size(), 2U);
}

TEST(ServerTransaction, LeavesNothingBehind) {
  std::vector<std::string> said;
  const auto remember = [&](std::string_view text) { said.emplace_back(text); };
  (void)sqlite().ask_transaction(remember);
  EXPECT_EQ(said, (std::vector<std::string>{"BEGIN", "ROLLBACK"}));
}

TEST(ServerTransaction, MayBeLostByTheErrorsThatLeaveItToTheServer) {
  EXPECT_TRUE(mysql().may_have_lost_transaction(number(1205)));
  EXPECT_FALSE(mysql().may_have_lost_transaction(number(1062)));
  EXPECT_TRUE(sqlite().may_have_lost_transaction(number(13)));
  EXPECT_TRUE(sqlite().may_have_lost_transaction(number(10 | (4 << 8))));
  EXPECT_FALSE(sqlite().may_have_lost_transaction(number(19)));
  EXPECT_FALSE(oracle().may_have_lost_transaction(number(60)));
  EXPECT_FALSE(postgresql().may_have_lost_transaction(state("40001")));
  EXPECT_TRUE(sqlserver().may_have_lost_transaction(number(547)));
}

constexpr const char* euro = "\xE2\x82\xAC";

TEST(ServerSession, OfAnotherCharacterSetIsRefused) {
  EXPECT_NO_THROW((void)postgresql().read_session({"UTF8"}));
  EXPECT_THROW((void)postgresql().read_session({"LATIN1"}), Error);
  const auto session = mysql().read_session({"utf8mb4", "utf8mb4", "utf8mb4", "7", "1024"});
  EXPECT_EQ(session.id, "7");
  EXPECT_EQ(session.argument_bytes, 1024U);
  EXPECT_EQ(oracle().read_session({"AMERICAN_AMERICA.AL32UTF8", "BINARY", "7", euro}).id, "7");
  EXPECT_THROW((void)oracle().read_session({"AMERICAN_AMERICA.UTF8", "BINARY", "7", euro}), Error);
  EXPECT_THROW((void)mysql().read_session({"utf8mb4", "latin1", "utf8mb4", "7", "1024"}), Error);
}

TEST(ServerSession, OfOracleIsRefusedIfItsClientIsNotToldOfUtf8) {
  for (const auto* seen : {"?", "\x80", ""}) {
    try {
      (void)oracle().read_session({"AMERICAN_AMERICA.AL32UTF8", "BINARY", "7", seen});
      FAIL() << "it was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument);
      EXPECT_NE(std::string{error.what()}.find("NLS_LANG"), std::string::npos);
    }
  }
}

TEST(ServerSession, ThatComparesNamesByALanguageIsRefused) {
  try {
    (void)oracle().read_session({"AMERICAN_AMERICA.AL32UTF8", "LINGUISTIC", "7", euro});
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_NE(std::string{error.what()}.find("NLS_COMP = BINARY"), std::string::npos);
  }
}

}  // namespace
}  // namespace tq::servers
