// What the tests of the driver soci against real servers stand on.
#pragma once

#include <gtest/gtest.h>
#include <soci/soci.h>

#include <memory>
#include <string>
#include <vector>

#include "relay.hpp"
#include "tq/error.hpp"
#include "tq/soci.hpp"
#include "url.hpp"

namespace tq::soci_driver {

/// The URLs in TQ_TEST_POSTGRESQL_URL and TQ_TEST_MYSQL_URL, as this driver's.
[[nodiscard]] std::vector<std::string> server_urls();

/// A test on one server, with a table `(n BIGINT PRIMARY KEY CHECK (n > -100), words TEXT)`.
class SociServer : public testing::TestWithParam<std::string> {
 protected:
  SociServer();
  ~SociServer() override;

  [[nodiscard]] static bool postgresql() { return GetParam().starts_with("postgresql"); }
  /// A connection of the library's own.
  [[nodiscard]] static std::unique_ptr<SociConnection> open(
      const std::vector<std::string>& session = {}) {
    return SociConnection::open(GetParam(), session);
  }
  /// The same through a relay, on 127.0.0.1.
  [[nodiscard]] static mysql_driver::Relay relay();
  [[nodiscard]] static std::unique_ptr<SociConnection> open_through(
      const mysql_driver::Relay& relay);
  /// The application's own session; `more` is added to SOCI's connect string.
  [[nodiscard]] static std::unique_ptr<soci::session> application(const std::string& more = "");

  /// A table's name of this test alone.
  [[nodiscard]] const std::string& table() const { return table_; }
  void insert(Connection& connection, std::int64_t n, const Argument& words = {}) const;
  [[nodiscard]] Value words(Connection& connection, std::int64_t n) const;
  [[nodiscard]] std::int64_t rows(Connection& connection) const;
  /// Ends another connection, and waits until the server has.
  static void kill(Connection& other);

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
  static std::int64_t number_of(Connection& connection, const std::string& sql) {
    return integer(connection.run(query(sql, {{"value", Type::int64}}), {})[0][0]);
  }

 private:
  std::string table_;
};

}  // namespace tq::soci_driver
