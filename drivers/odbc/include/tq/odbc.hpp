// The driver over ODBC (unixODBC), for PostgreSQL, MySQL, MariaDB and SQLite; for SQL Server and
// Oracle too, which were not run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tq/connection.hpp"

namespace tq {

class OdbcConnection final : public Connection {
 public:
  /// Borrows the application's connection, a connected SQLHDBC, which must outlive this object. At
  /// each call no result of it may be left unread, and its character set must be UTF-8; else
  /// Errc::invalid_argument. Statement handles are freed again at once, so nothing is left behind.
  explicit OdbcConnection(void* connection);
  ~OdbcConnection() override;

  /// Opens a connection of the library's own and runs `session` on it. Takes a URL
  /// `postgresql+odbc://user:password@host:port/database`, `mysql+odbc://`, `mariadb+odbc://`,
  /// `sqlserver+odbc://`, `oracle+odbc://user:password@host:port/service` or `sqlite+odbc:///file`
  /// (or without `+odbc`), with the parameters `driver`, `dsn`, `odbc_connect`, `connect_timeout`
  /// in seconds (10) and `tq_text`; for SQLite also `mode`, `busy_timeout` in milliseconds (5000),
  /// `synchronous` and `journal_mode`. Any other parameter is a keyword for the ODBC driver. Throws
  /// Errc::connection_lost, or Errc::invalid_argument naming what it refuses; neither message holds
  /// the password.
  [[nodiscard]] static std::unique_ptr<OdbcConnection> open(
      const std::string& url, const std::vector<std::string>& session = {});

  /// The version of the driver manager in use: "unixODBC 2.3.11".
  [[nodiscard]] static std::string client_version();

  Rows run(const Statement& statement, std::span<const Argument> arguments) override;
  void execute(std::string_view text) override;
  void begin(const Transaction& transaction) override;
  void commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool borrowed() const noexcept override;
  [[nodiscard]] bool usable() const noexcept override;
  /// Asks the server, in two round trips, on a borrowed connection, after execute(), whose text
  /// may have begun or ended a transaction, and after an error that may have; else it is
  /// remembered.
  [[nodiscard]] TransactionState transaction_state() const noexcept override;
  /// By SQLCancel; on MySQL and MariaDB by KILL QUERY on a connection of its own, so there it does
  /// nothing for a borrowed connection, whose password it would need.
  void cancel() noexcept override;

 private:
  struct State;
  explicit OdbcConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tq
