// How a driver says it: the seam between the core and a client library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tq/statement.hpp"
#include "tq/time.hpp"

namespace tq {

/// How a dialect begins a transaction of the library's own, and marks a point in it.
struct Transaction {
  std::string begin;  ///< the BEGIN text; empty: the client library's own call
  std::string savepoint = "SAVEPOINT tq_job";
  std::string rollback_to = "ROLLBACK TO SAVEPOINT tq_job";
};

enum class TransactionState : std::uint8_t {
  none,     ///< no transaction is open
  open,     ///< one is open
  failed,   ///< one is open and can only be rolled back
  unknown,  ///< the client library cannot tell
};

/// Waits for another connection's commit, where the engine can tell of it.
class WakeUp {
 public:
  WakeUp() = default;
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  virtual ~WakeUp() = default;

  /// Waits until something was announced or `timeout` has passed. Returns the announced queues;
  /// an empty name stands for any. Throws Errc::connection_lost. Used by one thread.
  [[nodiscard]] virtual std::vector<std::string> wait(Duration timeout) = 0;

  /// Ends a wait() early, now or, if none is under way, the next one. From any thread.
  virtual void interrupt() noexcept = 0;
};

/// One connection to a database, used by one thread at a time. A connection made from the
/// application's handle is borrowed: on it nothing is begun, committed, rolled back or set.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Runs one statement, in the open transaction if there is one, else on its own. Prepared once
  /// on a connection of ours. Gives statement.columns().size() columns a row, of the declared
  /// types, and drains every result. Throws Error.
  virtual Rows run(const Statement& statement, std::span<const Argument> arguments) = 0;

  /// Runs SQL text unprepared and discards what it gives: DDL, settings, savepoints.
  virtual void execute(std::string_view text) = 0;

  /// Begins, runs the calls in order and commits; rolls back and throws if one fails. Never on a
  /// borrowed connection. A driver may send all of it in one flight.
  virtual std::vector<Rows> transact(const Transaction& transaction, std::span<const Call> calls);

  virtual void begin(const Transaction& transaction) = 0;
  /// Throws Error; outcome_unknown() when the answer was lost.
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  /// The handle belongs to the application.
  [[nodiscard]] virtual bool borrowed() const noexcept = 0;
  /// False once the connection is known to be dead.
  [[nodiscard]] virtual bool usable() const noexcept = 0;
  [[nodiscard]] virtual TransactionState transaction_state() const noexcept = 0;
  /// False where the dialect's session settings, the isolation level among them, were not made: a
  /// statement that changes something then needs a transaction that says its level.
  [[nodiscard]] virtual bool has_session() const noexcept { return true; }

  /// Asks the server to end the statement that runs now. From any thread.
  virtual void cancel() noexcept = 0;

  /// Null where the engine or client library offers none. Belongs to the connection, which is
  /// then used for waiting alone.
  [[nodiscard]] virtual WakeUp* wake_up() noexcept { return nullptr; }
};

}  // namespace tq
