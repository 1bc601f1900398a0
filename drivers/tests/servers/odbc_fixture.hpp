// What the tests of the driver over ODBC stand on: PostgreSQL, MySQL and MariaDB servers that
// TQ_TEST_POSTGRESQL_URL and TQ_TEST_MYSQL_URL name, and SQLite, which needs none.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "tq/error.hpp"
#include "tq/odbc.hpp"

namespace tq::odbc {

/// URLs of all of them, or of those of one dialect.
[[nodiscard]] std::vector<std::string> urls();
[[nodiscard]] std::vector<std::string> urls_of(std::string_view dialect);

/// What an application has: its own connection, spoken to by ODBC alone.
class Application {
 public:
  explicit Application(const std::string& connection_string);
  [[nodiscard]] SQLHDBC connection() const { return connection_.get(); }
  /// Throws std::runtime_error with the SQLSTATE.
  void run(const std::string& text) const;
  void set_autocommit(bool on) const;
  void end(SQLSMALLINT how) const;

 private:
  EnvironmentHandle environment_;
  ConnectionHandle connection_;
};

/// A test on one server or file, with a table (n BIGINT PRIMARY KEY, words TEXT), n > -100.
class OdbcServer : public testing::TestWithParam<std::string> {
 protected:
  OdbcServer();
  ~OdbcServer() override;

  [[nodiscard]] bool is(std::string_view dialect) const;
  /// GetParam() with parameters: "name=value&name=value"; a file is this test's own.
  [[nodiscard]] std::string url(const std::string& parameters = {}) const;
  [[nodiscard]] std::unique_ptr<OdbcConnection> open(const std::string& parameters = {}) const;
  /// The same through another port.
  [[nodiscard]] std::unique_ptr<OdbcConnection> open_at(int port,
                                                        const std::string& parameters = {}) const;
  /// `options` stand at the end of its connection string.
  [[nodiscard]] Application application(const std::string& options = {}) const;

  [[nodiscard]] const std::string& table() const { return table_; }
  /// What begins a transaction that writes.
  [[nodiscard]] Transaction transaction() const;
  void insert(Connection& connection, std::int64_t n) const;
  void lock(Connection& connection, std::int64_t n) const;
  [[nodiscard]] std::int64_t rows() const;
  /// Ends a connection's session, and waits until the server has.
  void kill(Connection& other) const;
  [[nodiscard]] std::string id_of(Connection& connection) const;
  /// Waits until the session waits for something: a lock, a sleep.
  void wait_until_it_waits(const std::string& id) const;

  static Error error_of(const std::function<void()>& body);
  static Statement query(std::string text, std::vector<Field> columns,
                         std::vector<Field> parameters = {});
  static Statement change(std::string text, std::vector<Field> parameters = {});
  static std::int64_t number_of(Connection& connection, const std::string& sql);
  static std::string text_of(Connection& connection, const std::string& sql);

 private:
  std::filesystem::path folder_;
  std::string table_;
};

/// The end of a test's name, of its URL: "postgresql_27746".
[[nodiscard]] std::string name_of(const testing::TestParamInfo<std::string>& info);

}  // namespace tq::odbc
