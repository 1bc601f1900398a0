#include "commands.hpp"

#include <optional>

#include "error.hpp"
#include "tq/error.hpp"
#include "utf16.hpp"
#include "values.hpp"

namespace tq::odbc {
namespace {

SQLSMALLINT columns_of(SQLHSTMT executed) {
  SQLSMALLINT count = 0;
  check(SQLNumResultCols(executed, &count), SQL_HANDLE_STMT, executed);
  return count;
}

// How many rows the last execution changed; -1 if the ODBC driver cannot tell.
SQLLEN changed(SQLHSTMT executed) {
  SQLLEN count = -1;
  return SQL_SUCCEEDED(SQLRowCount(executed, &count)) ? count : -1;
}

// False when there was no further result. An error of a batch comes here.
bool next_result(SQLHSTMT executed) {
  const auto result = SQLMoreResults(executed);
  check(result, SQL_HANDLE_STMT, executed);
  return result != SQL_NO_DATA;
}

// Whatever was not read, so that the connection is free for what comes next, and what follows the
// statement that failed is done with.
void drain(SQLHSTMT executed) noexcept {
  constexpr int most = 1000;  // an ODBC driver may repeat its failure for ever
  for (int i = 0; i < most && SQL_SUCCEEDED(SQLMoreResults(executed)); ++i) {
  }
  SQLFreeStmt(executed, SQL_CLOSE);
}

// Runs `read` for each result, after an execution that gave `executed_with`.
template <class Read>
void read_all(SQLHSTMT executed, SQLRETURN executed_with, Read read) {
  try {
    check(executed_with, SQL_HANDLE_STMT, executed);
    do {
      read(columns_of(executed));
    } while (next_result(executed));
  } catch (...) {
    drain(executed);
    throw;
  }
  SQLFreeStmt(executed, SQL_CLOSE);
}

SQLRETURN execute(SQLHSTMT statement, const std::string& text, Text encoding) {
  if (encoding == Text::utf16) {
    auto wide = to_utf16(text);
    return SQLExecDirectW(statement, wide.data(), static_cast<SQLINTEGER>(wide.size()));
  }
  auto bytes = text;
  return SQLExecDirect(statement, reinterpret_cast<SQLCHAR*>(bytes.data()),
                       static_cast<SQLINTEGER>(bytes.size()));
}

}  // namespace

StatementHandle make_statement(SQLHDBC connection) {
  SQLHSTMT raw = nullptr;
  check(SQLAllocHandle(SQL_HANDLE_STMT, connection, &raw), SQL_HANDLE_DBC, connection);
  StatementHandle statement{raw};
  // psqlodbc hands down what the application has set for its connection, and would keep rows back.
  for (const SQLINTEGER limit : {SQL_ATTR_MAX_ROWS, SQL_ATTR_MAX_LENGTH}) {
    SQLSetStmtAttr(raw, limit, as_pointer(0), 0);
  }
  return statement;
}

void prepare(SQLHSTMT statement, const std::string& text, Text encoding) {
  if (encoding == Text::utf16) {
    auto wide = to_utf16(text);
    check(SQLPrepareW(statement, wide.data(), static_cast<SQLINTEGER>(wide.size())),
          SQL_HANDLE_STMT, statement);
    return;
  }
  auto bytes = text;
  check(SQLPrepare(statement, reinterpret_cast<SQLCHAR*>(bytes.data()),
                   static_cast<SQLINTEGER>(bytes.size())),
        SQL_HANDLE_STMT, statement);
}

Rows run_prepared(SQLHSTMT prepared, const Statement& statement, Text encoding,
                  Canceller& canceller) {
  std::optional<Rows> rows;
  const bool wanted = !statement.columns().empty();
  const auto result = [&] {
    const Canceller::Busy busy{canceller, prepared};
    return SQLExecute(prepared);
  }();
  // Nothing was changed, so a RETURNING gives nothing either; the driver manager opens no cursor.
  if (result == SQL_NO_DATA && changed(prepared) <= 0) rows.emplace(statement.columns().size());
  read_all(prepared, result, [&](SQLSMALLINT columns) {
    if (columns > 0 && wanted && !rows) rows = read_rows(prepared, statement, encoding);
  });
  if (wanted && !rows) throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
  return rows ? std::move(*rows) : Rows{};
}

void run_text(SQLHSTMT statement, const std::string& text, Text encoding, Canceller& canceller) {
  const auto result = [&] {
    const Canceller::Busy busy{canceller, statement};
    return execute(statement, text, encoding);
  }();
  read_all(statement, result, [](SQLSMALLINT /*columns*/) {});
}

std::vector<std::string> first_row(SQLHSTMT statement, const std::string& text, Text encoding) {
  std::vector<std::string> row;
  read_all(statement, execute(statement, text, encoding), [&](SQLSMALLINT columns) {
    if (columns == 0 || !row.empty() || SQLFetch(statement) != SQL_SUCCESS) return;
    for (SQLUSMALLINT column = 1; column <= columns; ++column) {
      row.push_back(read_text(statement, column, encoding).value_or(""));
    }
  });
  return row;
}

}  // namespace tq::odbc
