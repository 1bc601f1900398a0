// Runs a dialect's statements on a connection: alone, as an operation, in a transaction.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/retry.hpp"
#include "tq/statement.hpp"

namespace tq {

/// An argument by the parameter's name. A statement takes those that it uses.
struct Named {
  std::string_view name;
  Argument value;
};

/// Whether a duplicate is a reason to repeat the transaction: on a group's running job it is.
enum class Duplicates : std::uint8_t { final, retried };

/// What every operation of a queue needs to know about how it is run.
struct Execution {
  const Dialect& dialect;
  const RetryLimits& limits;
};

/// Which of an operation's steps are needed, besides those that always are.
struct Needs {
  bool waiting = true;
  bool failed = true;
  bool grouped = true;
};

/// Runs one statement in whatever transaction is open.
Rows run(Connection& connection, const Statement& statement, std::span<const Named> arguments);

/// Runs the steps in the open transaction. The answer is that of the last step with columns.
Rows run(Connection& connection, const Operation& operation, std::span<const Named> arguments,
         Needs needs = {});

/// Those of the last step that has any: what an operation answers with.
std::span<const Field> answer_columns(const Operation& operation);

/// True if the caller's transaction is to be joined: the connection is borrowed, or one is open.
bool joins(const Connection& connection);

/// Throws Errc::invalid_argument unless a transaction is open on a joined connection (or the
/// client library cannot tell).
void require_transaction(const Connection& connection, std::string_view operation);

/// Begins, runs `body`, commits; rolls back and repeats within the limits. A joined connection
/// just runs `body`. `body` may run several times and must start afresh each time.
void in_transaction(Connection& connection, const Execution& execution, Duplicates duplicates,
                    const std::function<void()>& body);

/// Repeats `attempt` after retryable errors within the limits.
void retrying(const RetryLimits& limits, Duplicates duplicates,
              const std::function<void()>& attempt);

/// Runs a whole operation by the shortest way: alone, in one flight, or step by step in a
/// transaction; on a joined connection step by step in the caller's transaction.
Rows perform(Connection& connection, const Execution& execution, const Operation& operation,
             std::span<const Named> arguments, Duplicates duplicates = Duplicates::final,
             Needs needs = {});

/// One operation of a transaction that is sent in one flight.
struct Part {
  const Operation& operation;
  std::span<const Named> arguments;
  Needs needs = {};
};

/// Whether no step of the operation waits for the rows of another, so that all can be sent at once.
bool can_be_sent_at_once(const Operation& operation);

/// Runs the parts in one transaction on a connection of ours, all of it sent at once where the
/// driver can; each must be fit for that. The answer of each part is that of its last step with
/// columns.
std::vector<Rows> perform_at_once(Connection& connection, const Execution& execution,
                                  std::span<const Part> parts, Duplicates duplicates);

/// Reads with one statement; repeated when busy.
Rows read(Connection& connection, const Execution& execution, const Statement& statement,
          std::span<const Named> arguments);

}  // namespace tq
