#include "session.hpp"

#include <cppconn/exception.h>
#include <cppconn/resultset_metadata.h>

#include "error.hpp"
#include "tq/error.hpp"

namespace tq::mysql_driver {
namespace {

Result query(sql::Statement& statement, const std::string& text) {
  Result result{statement.executeQuery(text)};
  if (!result->next()) throw Error{Errc::failed, "the session says nothing of itself"};
  return result;
}

}  // namespace

void run_text(sql::Connection& connection, const std::string& text) {
  const Text statement{connection.createStatement()};
  bool rows = statement->execute(text);
  do {
    if (rows) const Result ignored{statement->getResultSet()};
    rows = statement->getMoreResults();
  } while (rows);
}

Session read_session(sql::Connection& connection) {
  const Text statement{connection.createStatement()};
  const auto result = query(*statement, std::string{servers::mysql().session_query});
  std::vector<std::string> row;
  const auto columns = result->getMetaData()->getColumnCount();
  for (unsigned c = 1; c <= columns; ++c) row.push_back(result->getString(c).asStdString());
  return servers::mysql().read_session(row);
}

bool encrypted(sql::Connection& connection) {
  const Text statement{connection.createStatement()};
  const auto row = query(*statement, "SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  return row->getString(2).length() > 0;
}

TransactionState ask_transaction(sql::Connection& connection) {
  return servers::mysql().ask_transaction([&](std::string_view text) {
    try {
      run_text(connection, std::string{text});
    } catch (const sql::SQLException& error) {
      throw translate(error, {});
    }
  });
}

}  // namespace tq::mysql_driver
