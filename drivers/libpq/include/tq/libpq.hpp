// The driver over libpq, PostgreSQL's own client library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tq/connection.hpp"

struct pg_conn;

namespace tq {

class LibpqConnection final : public Connection {
 public:
  /// Borrows the application's connection, which must outlive this object. At each call it must be
  /// idle or in a transaction, not in pipeline mode, and its client_encoding must be UTF8; else
  /// Errc::invalid_argument. Statements go unprepared, so nothing is left behind.
  explicit LibpqConnection(pg_conn* connection);
  ~LibpqConnection() override;

  /// Opens a connection of the library's own: a URL or key=value string as libpq takes it
  /// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), and runs
  /// `session` on it. The parameter `tq_prepare=off` is for a pooler in transaction mode: nothing
  /// is prepared, `session` is left out, since it would stay with the pooler's connection, and
  /// there is no wake-up. Throws Errc::connection_lost, or Errc::invalid_argument for a malformed
  /// string; neither message holds the password.
  [[nodiscard]] static std::unique_ptr<LibpqConnection> open(
      const std::string& url, const std::vector<std::string>& session = {});

  /// The version of the libpq in use: "libpq 15.8".
  [[nodiscard]] static std::string client_version();

  Rows run(const Statement& statement, std::span<const Argument> arguments) override;
  void execute(std::string_view text) override;
  /// One flight in pipeline mode: BEGIN, the calls, COMMIT.
  std::vector<Rows> transact(const Transaction& transaction, std::span<const Call> calls) override;
  void begin(const Transaction& transaction) override;
  void commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool borrowed() const noexcept override;
  [[nodiscard]] bool usable() const noexcept override;
  [[nodiscard]] TransactionState transaction_state() const noexcept override;
  [[nodiscard]] bool has_session() const noexcept override;
  void cancel() noexcept override;
  /// LISTEN is the dialect's text; this waits for the notifications. Null on a borrowed connection,
  /// whose notifications are the application's, and with tq_prepare=off.
  [[nodiscard]] WakeUp* wake_up() noexcept override;

 private:
  struct State;
  explicit LibpqConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tq
