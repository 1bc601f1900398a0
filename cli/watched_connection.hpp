// A connection that tells of each statement before it runs.
#pragma once

#include <functional>
#include <memory>

#include "tq/connection.hpp"

namespace tq::cli {

/// Passes everything on to a connection of ours; `before` sees each statement and its arguments.
class WatchedConnection final : public Connection {
 public:
  using Before = std::function<void(const Statement&, std::span<const Argument>)>;

  WatchedConnection(std::unique_ptr<Connection> connection, Before before)
      : connection_(std::move(connection)), before_(std::move(before)) {}

  Rows run(const Statement& statement, std::span<const Argument> arguments) override {
    before_(statement, arguments);
    return connection_->run(statement, arguments);
  }
  void execute(std::string_view text) override { connection_->execute(text); }
  std::vector<Rows> transact(const Transaction& transaction, std::span<const Call> calls) override {
    for (const Call& call : calls) before_(call.statement, call.arguments);
    return connection_->transact(transaction, calls);
  }
  void begin(const Transaction& transaction) override { connection_->begin(transaction); }
  void commit() override { connection_->commit(); }
  void rollback() noexcept override { connection_->rollback(); }
  [[nodiscard]] bool borrowed() const noexcept override { return connection_->borrowed(); }
  [[nodiscard]] bool usable() const noexcept override { return connection_->usable(); }
  [[nodiscard]] TransactionState transaction_state() const noexcept override {
    return connection_->transaction_state();
  }
  [[nodiscard]] bool has_session() const noexcept override { return connection_->has_session(); }
  void cancel() noexcept override { connection_->cancel(); }
  [[nodiscard]] WakeUp* wake_up() noexcept override { return connection_->wake_up(); }

 private:
  std::unique_ptr<Connection> connection_;
  Before before_;
};

}  // namespace tq::cli
