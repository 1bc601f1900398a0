// The driver over MySQL Connector/C++ 1.1, for MySQL and MariaDB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tq/connection.hpp"

namespace sql {
class Connection;
}  // namespace sql

namespace tq {

class MysqlConnection final : public Connection {
 public:
  /// Borrows the application's connection, which must outlive this object. At each call all results
  /// of its last statement must have been read, and its character set must be utf8mb4; else
  /// Errc::invalid_argument. What is prepared is closed again at once, so nothing is left behind.
  /// cancel() does nothing, since it would need the password.
  explicit MysqlConnection(sql::Connection& connection);
  ~MysqlConnection() override;

  /// Opens a connection of the library's own and runs `session` on it. Takes a URL
  /// `mysql://user:password@host:port/database`, a socket's path as a percent-encoded host, with
  /// the parameters `socket`, `ssl-mode=disabled|preferred|required|verify-identity`, `ssl-ca`,
  /// `ssl-cert`, `ssl-key`, `server-public-key-path`, and in seconds `connect-timeout` (10),
  /// `read-timeout` (300), `write-timeout` (60). Throws Errc::connection_lost, or
  /// Errc::invalid_argument naming what it refuses; neither message holds the password.
  [[nodiscard]] static std::unique_ptr<MysqlConnection> open(
      const std::string& url, const std::vector<std::string>& session = {});

  /// The version of the client library in use: "MySQL Connector/C++ 1.1.12".
  [[nodiscard]] static std::string client_version();

  Rows run(const Statement& statement, std::span<const Argument> arguments) override;
  void execute(std::string_view text) override;
  void begin(const Transaction& transaction) override;
  void commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool borrowed() const noexcept override;
  [[nodiscard]] bool usable() const noexcept override;
  /// Asks the server, in two round trips, on a borrowed connection and after execute(), whose text
  /// may have begun or ended a transaction; else it is remembered.
  [[nodiscard]] TransactionState transaction_state() const noexcept override;
  /// By KILL QUERY on a connection of its own.
  void cancel() noexcept override;

 private:
  struct State;
  explicit MysqlConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tq
