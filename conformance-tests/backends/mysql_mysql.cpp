// The pair mysql (Connector/C++) + mysql.
#include <cppconn/exception.h>
#include <cppconn/resultset_metadata.h>

#include "client.hpp"
#include "connect.hpp"
#include "pair.hpp"
#include "tq/mysql_connector.hpp"

namespace tq::conformance {
namespace {

using Handle = mysql_driver::ConnectionHandle;
using Result = mysql_driver::Result;

Handle connect(const std::string& url) try {
  return mysql_driver::connect(mysql_driver::parse_url(url));
} catch (const Error& error) {
  throw RawError{error.what()};
}

std::vector<RawConnection::Row> rows_of(sql::ResultSet& result) {
  std::vector<RawConnection::Row> rows;
  const auto columns = result.getMetaData()->getColumnCount();
  while (result.next()) {
    RawConnection::Row row;
    for (unsigned c = 1; c <= columns; ++c) {
      row.emplace_back(result.isNull(c) ? "(null)" : result.getString(c).asStdString());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

class MysqlRaw final : public RawConnection {
 public:
  explicit MysqlRaw(const std::string& url) : handle_(connect(url)) {}

  std::vector<Row> execute(const std::string& sql) override try {
    (void)mysql_driver::client();  // for this thread
    const std::unique_ptr<sql::Statement> statement{handle_->createStatement()};
    std::vector<Row> rows;
    for (const auto& text : statements_of(sql)) {
      if (!statement->execute(text)) continue;
      const Result result{statement->getResultSet()};
      rows = rows_of(*result);
    }
    return rows;
  } catch (const sql::SQLException& error) {
    throw RawError{error.what()};
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<MysqlConnection>(*handle_);
  }

 private:
  Handle handle_;
};

}  // namespace

Pair mysql_mysql() {
  return mysql_with(
      {.driver = "mysql",
       .is_default = true,
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return MysqlConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<MysqlRaw>(url);
       }});
}

}  // namespace tq::conformance
