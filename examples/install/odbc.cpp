// with_odbc FILE: on the application's own SQLHDBC, here of SQLite through libsqliteodbc, in a file
// that is not there yet.
#include <sql.h>
#include <sqlext.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <tq/odbc.hpp>
#include <tq/sqlite.hpp>

#include "proof.hpp"

namespace {

void check(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  std::array<SQLCHAR, SQL_SQLSTATE_SIZE + 1> state{};
  std::array<SQLCHAR, 1000> text{};
  SQLGetDiagRec(kind, handle, 1, state.data(), nullptr, text.data(), text.size(), nullptr);
  throw std::runtime_error{reinterpret_cast<const char*>(text.data())};
}

template <SQLSMALLINT kind>
struct Free {
  void operator()(SQLHANDLE handle) const {
    if (kind == SQL_HANDLE_DBC) SQLDisconnect(handle);
    SQLFreeHandle(kind, handle);
  }
};

template <SQLSMALLINT kind>
std::unique_ptr<void, Free<kind>> allocate(SQLSMALLINT parent_kind, SQLHANDLE parent) {
  SQLHANDLE handle = nullptr;
  check(SQLAllocHandle(kind, parent, &handle), parent_kind, parent);
  return std::unique_ptr<void, Free<kind>>{handle};
}

SQLCHAR* characters(std::string& text) { return reinterpret_cast<SQLCHAR*>(text.data()); }

class OwnConnection final : public OwnDatabase {
 public:
  explicit OwnConnection(std::string connection_string)
      : environment_(allocate<SQL_HANDLE_ENV>(SQL_HANDLE_ENV, SQL_NULL_HANDLE)) {
    SQLSetEnvAttr(environment_.get(), SQL_ATTR_ODBC_VERSION,
                  reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
    connection_ = allocate<SQL_HANDLE_DBC>(SQL_HANDLE_ENV, environment_.get());
    check(SQLDriverConnect(connection_.get(), nullptr, characters(connection_string), SQL_NTS,
                           nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT),
          SQL_HANDLE_DBC, connection_.get());
  }

  [[nodiscard]] SQLHDBC connection() const { return connection_.get(); }

  std::string run(const std::string& sql) override {
    const auto statement = allocate<SQL_HANDLE_STMT>(SQL_HANDLE_DBC, connection_.get());
    auto text = sql;
    check(SQLExecDirect(statement.get(), characters(text), SQL_NTS), SQL_HANDLE_STMT,
          statement.get());
    SQLSMALLINT columns = 0;
    SQLNumResultCols(statement.get(), &columns);
    if (columns == 0 || SQLFetch(statement.get()) != SQL_SUCCESS) return {};
    std::array<char, 100> value{};
    check(SQLGetData(statement.get(), 1, SQL_C_CHAR, value.data(), value.size(), nullptr),
          SQL_HANDLE_STMT, statement.get());
    return value.data();
  }
  void begin() override { set_autocommit(SQL_AUTOCOMMIT_OFF); }
  void commit() override { end(SQL_COMMIT); }
  void rollback() override { end(SQL_ROLLBACK); }

 private:
  void set_autocommit(SQLULEN mode) {
    check(SQLSetConnectAttr(connection_.get(), SQL_ATTR_AUTOCOMMIT,
                            reinterpret_cast<SQLPOINTER>(mode), 0),
          SQL_HANDLE_DBC, connection_.get());
  }
  void end(SQLSMALLINT how) {
    check(SQLEndTran(SQL_HANDLE_DBC, connection_.get(), how), SQL_HANDLE_DBC, connection_.get());
    set_autocommit(SQL_AUTOCOMMIT_ON);
  }

  std::unique_ptr<void, Free<SQL_HANDLE_ENV>> environment_;
  std::unique_ptr<void, Free<SQL_HANDLE_DBC>> connection_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument{"give a file"};
  const std::string file = arguments[1];
  const tq::Queue queue{tq::sqlite()};
  OwnConnection own{"Driver=SQLite3;Database=" + file};
  tq::OdbcConnection borrowed{own.connection()};
  return prove(
      own, borrowed,
      [&] { return tq::OdbcConnection::open("sqlite:///" + file, queue.dialect().session); },
      queue);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
