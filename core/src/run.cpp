#include "run.hpp"

#include <algorithm>
#include <functional>
#include <thread>

#include "batch.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

constexpr std::string_view picked = "picked";

bool takes_picked(const Statement& statement) {
  return std::ranges::count(statement.parameters(), picked, &Field::name) > 0;
}

std::vector<Argument> bound_to(const Statement& statement, std::span<const Named> arguments) {
  std::vector<Argument> bound;
  bound.reserve(statement.parameters().size());
  for (const auto& parameter : statement.parameters()) {
    const auto found = std::ranges::find(arguments, parameter.name, &Named::name);
    if (found == arguments.end()) {
      throw Error{Errc::failed, "statement " + statement.name() + ": no argument for :" +
                                    parameter.name + "; its file asks for what is not given"};
    }
    bound.push_back(found->value);
  }
  return bound;
}

// Runs steps in order and keeps what `picked` stands for.
class StepRunner {
 public:
  StepRunner(Connection& connection, std::span<const Named> arguments)
      : connection_(connection), arguments_(arguments.begin(), arguments.end()) {}

  void run(const Statement& step) {
    if (!takes_picked(step)) return keep(step, connection_.run(step, bound_to(step, arguments_)));
    if (answer_.empty()) return;
    const auto json = to_json(answer_, columns_);
    auto with_picked = arguments_;
    with_picked.push_back({picked, json});
    keep(step, connection_.run(step, bound_to(step, with_picked)));
  }

  Rows answer() { return std::move(answer_); }

 private:
  void keep(const Statement& step, Rows rows) {
    if (step.columns().empty()) return;
    columns_ = step.columns();
    answer_ = std::move(rows);
  }

  Connection& connection_;
  std::vector<Named> arguments_;
  std::span<const Field> columns_;
  Rows answer_;
};

bool worth_repeating(const Error& error, Duplicates duplicates) {
  if (error.outcome_unknown()) return false;
  return error.retryable() ||
         (duplicates == Duplicates::retried && error.code() == Errc::duplicate);
}

// A lost connection outside a transaction leaves it open whether the statement took effect.
Rows run_alone(Connection& connection, const Statement& statement,
               std::span<const Named> arguments) {
  try {
    return run(connection, statement, arguments);
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    auto details = error.details();
    details.outcome_unknown = true;
    throw Error{std::move(details), error.what()};
  }
}

bool needed(const Statement& step, Needs needs) {
  switch (step.when()) {
    case When::waiting:
      return needs.waiting;
    case When::failed:
      return needs.failed;
    case When::grouped:
      return needs.grouped;
    case When::always:
      break;
  }
  return true;
}

std::vector<std::reference_wrapper<const Statement>> needed_steps(const Operation& operation,
                                                                  Needs needs) {
  std::vector<std::reference_wrapper<const Statement>> steps;
  steps.reserve(operation.steps.size());
  for (const auto& step : operation.steps) {
    if (needed(step, needs)) steps.emplace_back(step);
  }
  return steps;
}

std::vector<Rows> run_in_one_flight(Connection& connection, const Transaction& transaction,
                                    std::span<const Part> parts) {
  std::vector<std::vector<Argument>> bound;
  std::vector<std::reference_wrapper<const Statement>> steps;
  std::vector<std::size_t> ends;
  for (const auto& part : parts) {
    for (const Statement& step : needed_steps(part.operation, part.needs)) {
      steps.emplace_back(step);
      bound.push_back(bound_to(step, part.arguments));
    }
    ends.push_back(steps.size());
  }
  std::vector<Call> calls;
  for (std::size_t i = 0; i < steps.size(); ++i) calls.push_back({steps[i], bound[i]});
  auto rows = connection.transact(transaction, calls);
  std::vector<Rows> answers(parts.size());
  std::size_t i = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (; i < ends[part]; ++i) {
      if (!steps[i].get().columns().empty()) answers[part] = std::move(rows[i]);
    }
  }
  return answers;
}

}  // namespace

Rows run(Connection& connection, const Statement& statement, std::span<const Named> arguments) {
  return connection.run(statement, bound_to(statement, arguments));
}

Rows run(Connection& connection, const Operation& operation, std::span<const Named> arguments,
         Needs needs) {
  StepRunner runner{connection, arguments};
  for (const Statement& step : needed_steps(operation, needs)) runner.run(step);
  return runner.answer();
}

std::span<const Field> answer_columns(const Operation& operation) {
  for (std::size_t i = operation.steps.size(); i-- > 0;) {
    if (!operation.steps[i].columns().empty()) return operation.steps[i].columns();
  }
  return {};
}

bool joins(const Connection& connection) {
  return connection.borrowed() || connection.transaction_state() != TransactionState::none;
}

void require_transaction(const Connection& connection, std::string_view operation) {
  const auto state = connection.transaction_state();
  if (state == TransactionState::none) {
    throw Error{Errc::invalid_argument,
                std::string{operation} +
                    ": it takes several steps on a borrowed connection, so begin a transaction "
                    "first, and commit it afterwards"};
  }
  if (state == TransactionState::failed) {
    throw Error{ErrorDetails{.code = Errc::invalid_argument, .transaction_lost = true},
                std::string{operation} +
                    ": the transaction on this connection has failed; roll it back first"};
  }
}

void retrying(const RetryLimits& limits, Duplicates duplicates,
              const std::function<void()>& attempt) {
  const auto give_up = std::chrono::steady_clock::now() + limits.total;
  for (int tries = 1;; ++tries) {
    try {
      return attempt();
    } catch (const Error& error) {
      const auto wait = limits.wait.delay(tries);
      const bool late = std::chrono::steady_clock::now() + wait > give_up;
      if (!worth_repeating(error, duplicates) || tries >= limits.attempts || late) throw;
      if (limits.on_retry) limits.on_retry(error);
      std::this_thread::sleep_for(wait);
    }
  }
}

void in_transaction(Connection& connection, const Execution& execution, Duplicates duplicates,
                    const std::function<void()>& body) {
  if (joins(connection)) return body();
  retrying(execution.limits, duplicates, [&] {
    connection.begin(execution.dialect.transaction);
    try {
      body();
      connection.commit();
    } catch (...) {
      connection.rollback();
      throw;
    }
  });
}

bool can_be_sent_at_once(const Operation& operation) {
  return std::ranges::none_of(operation.steps, takes_picked);
}

std::vector<Rows> perform_at_once(Connection& connection, const Execution& execution,
                                  std::span<const Part> parts, Duplicates duplicates) {
  std::vector<Rows> answers;
  retrying(execution.limits, duplicates,
           [&] { answers = run_in_one_flight(connection, execution.dialect.transaction, parts); });
  return answers;
}

Rows perform(Connection& connection, const Execution& execution, const Operation& operation,
             std::span<const Named> arguments, Duplicates duplicates, Needs needs) {
  if (operation.steps.empty()) return {};
  const auto steps = needed_steps(operation, needs);
  if (joins(connection)) {
    if (operation.steps.size() > 1) require_transaction(connection, operation.steps.front().name());
    return run(connection, operation, arguments, needs);
  }
  Rows answer;
  const bool at_once = can_be_sent_at_once(operation);
  if (steps.size() == 1 && (connection.has_session() || !at_once)) {
    retrying(execution.limits, duplicates,
             [&] { answer = run_alone(connection, steps.front(), arguments); });
  } else if (at_once) {
    const Part part{operation, arguments, needs};
    answer = std::move(perform_at_once(connection, execution, {&part, 1}, duplicates).front());
  } else {
    in_transaction(connection, execution, duplicates,
                   [&] { answer = run(connection, operation, arguments, needs); });
  }
  return answer;
}

Rows read(Connection& connection, const Execution& execution, const Statement& statement,
          std::span<const Named> arguments) {
  Rows answer;
  if (joins(connection)) return run(connection, statement, arguments);
  retrying(execution.limits, Duplicates::final,
           [&] { answer = run(connection, statement, arguments); });
  return answer;
}

}  // namespace tq
