// What the tests against real MySQL and MariaDB servers stand on.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "connect.hpp"
#include "session.hpp"
#include "tq/error.hpp"
#include "tq/mysql_connector.hpp"
#include "url.hpp"

namespace tq::mysql_driver {

/// The URLs in TQ_TEST_MYSQL_URL, separated by blanks.
[[nodiscard]] std::vector<std::string> server_urls();

/// A test on one server, with the table `tq_driver_test (n BIGINT PRIMARY KEY, words LONGTEXT)`.
class MysqlServer : public testing::TestWithParam<std::string> {
 protected:
  MysqlServer();
  ~MysqlServer() override;

  /// A connection of the library's own. `parameters`: "name=value&name=value".
  [[nodiscard]] std::unique_ptr<MysqlConnection> open(const std::string& parameters = {}) const;
  /// The same through another host and port.
  [[nodiscard]] std::unique_ptr<MysqlConnection> open_at(const std::string& place,
                                                         const std::string& parameters = {}) const;
  /// The application's own connection.
  [[nodiscard]] static ConnectionHandle application() { return connect(parse_url(GetParam())); }
  [[nodiscard]] static Target target() { return parse_url(GetParam()); }

  /// A table's name of this test alone.
  [[nodiscard]] const std::string& table() const { return table_; }
  void insert(Connection& connection, int n) const;
  [[nodiscard]] std::int64_t rows(Connection& connection) const;
  /// Ends another connection, and waits until the server has.
  void kill(Connection& other) const;

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

  static Statement query(std::string text, std::vector<Field> columns,
                         std::vector<Field> parameters = {}) {
    return {"query", std::move(text), std::move(parameters), std::move(columns)};
  }
  static Statement change(std::string text, std::vector<Field> parameters = {}) {
    return {"change", std::move(text), std::move(parameters), {}};
  }
  static std::string text_of(Connection& connection, const std::string& sql) {
    return text(connection.run(query(sql, {{"value", Type::text}}), {})[0][0]);
  }
  static std::int64_t number_of(Connection& connection, const std::string& sql) {
    return integer(connection.run(query(sql, {{"value", Type::int64}}), {})[0][0]);
  }
  static std::string id_of(Connection& connection) {
    return text_of(connection, "SELECT CONNECTION_ID()");
  }

  /// Of a SHOW command, which has two columns.
  static std::string status(Connection& connection, const std::string& name);

 private:
  std::string table_;
};

}  // namespace tq::mysql_driver
