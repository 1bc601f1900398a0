// The driver over SQLite's own C interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tq/connection.hpp"

struct sqlite3;

namespace tq {

class SqliteConnection final : public Connection {
 public:
  /// Borrows the application's connection, which must outlive this object. Its busy handler,
  /// journal mode and pragmas stay as they are.
  explicit SqliteConnection(sqlite3* connection);
  ~SqliteConnection() override;

  /// Opens the file, creates it if there is none, and runs `session` on it. Takes a path, or a
  /// URL `sqlite:///relative.db`, `sqlite:////absolute.db` with the parameters
  /// `busy_timeout=MILLISECONDS` (5000), `synchronous=full|normal|extra`,
  /// `journal_mode=wal|delete`, `mode=ro|rw|rwc` (rwc). Defaults: WAL for a new file, the
  /// mode that it has for one that is there, synchronous FULL. Writers of
  /// one process take turns by a mutex, processes by a busy handler that waits with jitter. Throws
  /// Errc::connection_lost.
  [[nodiscard]] static std::unique_ptr<SqliteConnection> open(
      const std::string& url, const std::vector<std::string>& session = {});

  /// The version of the SQLite library in use: "SQLite 3.40.1".
  [[nodiscard]] static std::string client_version();

  Rows run(const Statement& statement, std::span<const Argument> arguments) override;
  void execute(std::string_view text) override;
  void begin(const Transaction& transaction) override;
  void commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool borrowed() const noexcept override;
  [[nodiscard]] bool usable() const noexcept override;
  [[nodiscard]] TransactionState transaction_state() const noexcept override;
  void cancel() noexcept override;
  /// Watches PRAGMA data_version, which changes when another connection commits.
  [[nodiscard]] WakeUp* wake_up() noexcept override;

 private:
  struct State;
  explicit SqliteConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tq
