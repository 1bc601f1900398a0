#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>

#include <stdexcept>
#include <unordered_map>

#include "client.hpp"
#include "servers/url.hpp"

namespace tq::bench {
namespace {

class Mysql final : public Client {
 public:
  explicit Mysql(const std::string& url) {
    const auto parts = servers::read_url(
        url, {.name = "mysql", .wanted = "mysql://user:password@host:port/database"});
    sql::ConnectOptionsMap options;
    options["hostName"] = "tcp://" + parts.host + ":" + (parts.port.empty() ? "3306" : parts.port);
    options["userName"] = parts.user;
    options["password"] = parts.password;
    options["schema"] = parts.path;
    options["OPT_CHARSET_NAME"] = std::string{"utf8mb4"};
    connection_.reset(get_driver_instance()->connect(options));
    statement_.reset(connection_->createStatement());
  }

  std::vector<Row> run(const Statement& statement, std::span<const Argument> arguments) override {
    auto& known = prepared(statement);
    auto& prepared = *known.prepared;
    for (std::size_t i = 0; i < known.order.size(); ++i) {
      bind(prepared, static_cast<unsigned>(i) + 1, arguments[known.order[i]]);
    }
    std::vector<Row> rows;
    if (!prepared.execute()) return rows;
    const std::unique_ptr<sql::ResultSet> result{prepared.getResultSet()};
    const auto columns = static_cast<unsigned>(statement.columns().size());
    while (result->next()) {
      Row row;
      row.reserve(columns);
      for (unsigned c = 1; c <= columns; ++c) row.push_back(result->getString(c).asStdString());
      rows.push_back(std::move(row));
    }
    while (prepared.getMoreResults()) {
      const std::unique_ptr<sql::ResultSet> rest{prepared.getResultSet()};
    }
    return rows;
  }
  void execute(const std::string& text) override { statement_->execute(text); }

 private:
  struct Known {
    std::unique_ptr<sql::PreparedStatement> prepared;
    std::vector<std::size_t> order;
  };

  static void bind(sql::PreparedStatement& prepared, unsigned place, const Argument& argument) {
    if (const auto* number = std::get_if<std::int64_t>(&argument)) {
      prepared.setInt64(place, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
      prepared.setString(place, sql::SQLString{std::string{*text}});
    } else {
      prepared.setNull(place, 0);
    }
  }

  Known& prepared(const Statement& statement) {
    const auto found = known_.find(statement.id());
    if (found != known_.end()) return found->second;
    auto rendered = statement.render(Placeholders::question);
    Known known{
        std::unique_ptr<sql::PreparedStatement>{connection_->prepareStatement(rendered.text)},
        std::move(rendered.order)};
    return known_.emplace(statement.id(), std::move(known)).first->second;
  }

  std::unique_ptr<sql::Connection> connection_;
  std::unique_ptr<sql::Statement> statement_;
  std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace

std::unique_ptr<Client> mysql_client(const std::string& url) {
  return std::make_unique<Mysql>(url);
}

}  // namespace tq::bench
