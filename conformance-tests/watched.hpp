// A connection that is looked at, disturbed or delayed on its way to the real one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"

namespace tq::conformance {

/// Passes everything on. The hooks are called around it and may throw tq::Error, as a failing
/// connection would.
class Watched final : public Connection {
 public:
  /// `inner` must outlive this object.
  explicit Watched(Connection& inner) : inner_(inner) {}
  explicit Watched(std::unique_ptr<Connection> inner) : owned_(std::move(inner)), inner_(*owned_) {}

  std::function<void(const Statement&, std::span<const Argument>)> before_run = {};
  std::function<void(const Statement&)> after_run = {};
  std::function<void()> before_begin = {};
  std::function<void()> before_commit = {};
  std::function<void()> after_commit = {};
  int begins = 0;
  int commits = 0;
  int rollbacks = 0;
  /// What went to the database one after the other, if nothing travels together.
  int round_trips = 0;

  Rows run(const Statement& statement, std::span<const Argument> arguments) override {
    ++round_trips;
    if (before_run) before_run(statement, arguments);
    const bool alone = inner_.transaction_state() == TransactionState::none;
    auto rows = inner_.run(statement, arguments);
    if (after_run) after_run(statement);
    if (alone && after_commit) after_commit();  // a statement outside a transaction is one
    return rows;
  }
  void execute(std::string_view text) override {
    ++round_trips;
    inner_.execute(text);
  }
  std::vector<Rows> transact(const Transaction& transaction, std::span<const Call> calls) override {
    round_trips += static_cast<int>(calls.size()) + 2;
    ++begins;
    for (const auto& call : calls) {
      if (before_run) before_run(call.statement, call.arguments);
    }
    if (before_commit) before_commit();
    auto rows = inner_.transact(transaction, calls);
    ++commits;
    for (const auto& call : calls) {
      if (after_run) after_run(call.statement);
    }
    if (after_commit) after_commit();
    return rows;
  }
  void begin(const Transaction& transaction) override {
    ++round_trips;
    ++begins;
    if (before_begin) before_begin();
    inner_.begin(transaction);
  }
  void commit() override {
    ++round_trips;
    if (before_commit) before_commit();
    inner_.commit();
    ++commits;
    if (after_commit) after_commit();
  }
  void rollback() noexcept override {
    ++round_trips;
    ++rollbacks;
    inner_.rollback();
  }
  [[nodiscard]] bool borrowed() const noexcept override { return inner_.borrowed(); }
  [[nodiscard]] bool usable() const noexcept override { return inner_.usable(); }
  [[nodiscard]] TransactionState transaction_state() const noexcept override {
    return inner_.transaction_state();
  }
  [[nodiscard]] bool has_session() const noexcept override { return inner_.has_session(); }
  void cancel() noexcept override { inner_.cancel(); }
  [[nodiscard]] WakeUp* wake_up() noexcept override { return inner_.wake_up(); }

 private:
  std::unique_ptr<Connection> owned_;
  Connection& inner_;
};

}  // namespace tq::conformance
