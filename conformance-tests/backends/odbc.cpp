#include "odbc.hpp"

#include <sql.h>
#include <sqlext.h>

#include <array>

#include "tq/odbc.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

struct FreeEnvironment {
  void operator()(SQLHENV handle) const { SQLFreeHandle(SQL_HANDLE_ENV, handle); }
};

struct Disconnect {
  void operator()(SQLHDBC handle) const {
    // The driver manager does not disconnect within a transaction that it knows of.
    SQLEndTran(SQL_HANDLE_DBC, handle, SQL_ROLLBACK);
    SQLDisconnect(handle);
    SQLFreeHandle(SQL_HANDLE_DBC, handle);
  }
};

struct FreeStatement {
  void operator()(SQLHSTMT handle) const { SQLFreeHandle(SQL_HANDLE_STMT, handle); }
};

// An attribute that is a number stands in the pointer itself.
SQLPOINTER number(SQLULEN value) { return reinterpret_cast<SQLPOINTER>(value); }

SQLCHAR* characters(std::string& text) { return reinterpret_cast<SQLCHAR*>(text.data()); }

void check(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  std::array<SQLCHAR, 6> state{};
  std::array<char, 1000> text{};
  SQLGetDiagRec(kind, handle, 1, state.data(), nullptr, reinterpret_cast<SQLCHAR*>(text.data()),
                static_cast<SQLSMALLINT>(text.size()), nullptr);
  throw RawError{text.data()};
}

std::string text_of(SQLHSTMT statement, SQLUSMALLINT column) {
  std::array<char, 1000> piece{};
  std::string text;
  for (;;) {
    SQLLEN left = 0;
    const auto result = SQLGetData(statement, column, SQL_C_CHAR, piece.data(),
                                   static_cast<SQLLEN>(piece.size()), &left);
    check(result, SQL_HANDLE_STMT, statement);
    if (result == SQL_NO_DATA) return text;
    if (left == SQL_NULL_DATA) return "(null)";
    text += piece.data();
    if (result == SQL_SUCCESS) return text;
  }
}

std::vector<RawConnection::Row> rows_of(SQLHSTMT statement) {
  SQLSMALLINT columns = 0;
  check(SQLNumResultCols(statement, &columns), SQL_HANDLE_STMT, statement);
  std::vector<RawConnection::Row> rows;
  while (columns > 0) {
    const auto result = SQLFetch(statement);
    check(result, SQL_HANDLE_STMT, statement);
    if (result == SQL_NO_DATA) break;
    auto& row = rows.emplace_back();
    for (SQLUSMALLINT c = 1; c <= columns; ++c) row.push_back(text_of(statement, c));
  }
  return rows;
}

class OdbcRaw final : public RawConnection {
 public:
  OdbcRaw(std::string connection_string, const OdbcApplication& application)
      : scripts_(application.scripts) {
    SQLHANDLE handle = nullptr;
    SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &handle);
    environment_.reset(handle);
    SQLSetEnvAttr(handle, SQL_ATTR_ODBC_VERSION, number(SQL_OV_ODBC3), 0);
    SQLAllocHandle(SQL_HANDLE_DBC, environment_.get(), &handle);
    connection_.reset(handle);
    SQLSetConnectAttr(handle, SQL_ATTR_LOGIN_TIMEOUT, number(10), 0);
    check(SQLDriverConnect(handle, nullptr, characters(connection_string), SQL_NTS, nullptr, 0,
                           nullptr, SQL_DRIVER_NOPROMPT),
          SQL_HANDLE_DBC, handle);
    if (application.autocommit == Autocommit::on) return;
    check(SQLSetConnectAttr(handle, SQL_ATTR_AUTOCOMMIT, number(SQL_AUTOCOMMIT_OFF), 0),
          SQL_HANDLE_DBC, handle);
  }

  std::vector<Row> execute(const std::string& sql) override {
    std::vector<Row> rows;
    auto whole = sql;
    if (scripts_ == Scripts::whole) return run(whole);
    for (auto text : scripts_ == Scripts::batches ? batches_of(sql) : statements_of(sql)) {
      rows = run(text);
    }
    return rows;
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<OdbcConnection>(connection_.get());
  }

 private:
  std::vector<Row> run(std::string& text) {
    SQLHANDLE handle = nullptr;
    check(SQLAllocHandle(SQL_HANDLE_STMT, connection_.get(), &handle), SQL_HANDLE_DBC,
          connection_.get());
    const std::unique_ptr<void, FreeStatement> statement{handle};
    // The braces of a payload are no escape sequence.
    SQLSetStmtAttr(handle, SQL_ATTR_NOSCAN, number(SQL_NOSCAN_ON), 0);
    check(SQLExecDirect(handle, characters(text), SQL_NTS), SQL_HANDLE_STMT, handle);
    std::vector<Row> rows;
    for (SQLRETURN more = SQL_SUCCESS; more != SQL_NO_DATA; more = SQLMoreResults(handle)) {
      check(more, SQL_HANDLE_STMT, handle);
      rows = rows_of(handle);
    }
    return rows;
  }

  Scripts scripts_;
  std::unique_ptr<void, FreeEnvironment> environment_;
  std::unique_ptr<void, Disconnect> connection_;
};

// postgresql://user:password@host:port/database in the words of an application.
std::string connection_string(const std::string& url) {
  constexpr std::string_view mark = "://";
  auto rest = url.substr(url.find(mark) + mark.size());
  rest = rest.substr(0, rest.find('?'));
  const auto slash = rest.find('/');
  const auto place = rest.substr(slash + 1);
  if (slash == 0) return "Database=" + place + ";";
  const auto at = rest.rfind('@', slash);
  const auto user = rest.substr(0, at);
  const auto host = rest.substr(at + 1, slash - at - 1);
  return "Server=" + host.substr(0, host.find(':')) + ";Port=" + host.substr(host.find(':') + 1) +
         ";UID=" + user.substr(0, user.find(':')) + ";PWD=" + user.substr(user.find(':') + 1) +
         ";Database=" + place + ";";
}

}  // namespace

Client odbc_client(const OdbcApplication& application) {
  const auto begin = "Driver=" + application.driver + ";";
  return {.driver = "odbc",
          .open = [](const std::string& url, const std::vector<std::string>& session)
              -> std::unique_ptr<Connection> { return OdbcConnection::open(url, session); },
          .raw = [begin, application](const std::string& url) -> std::unique_ptr<RawConnection> {
            auto words = application.connection_string
                             ? application.connection_string(url)
                             : begin + connection_string(url) + application.options;
            return std::make_unique<OdbcRaw>(std::move(words), application);
          },
          .limits = [application](const std::string& /*url*/) { return application.limits; }};
}

}  // namespace tq::conformance
